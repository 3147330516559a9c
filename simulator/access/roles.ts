// Lists the privileges of each release and the roles that come built in.
import type { Release } from "../version.js";

type Tier = "root" | "admin" | "user" | "audit";
type Groups = Record<string, Partial<Record<Tier, readonly string[]>>>;

const machineAdmin = [
  "VM.Config.Disk",
  "VM.Config.CPU",
  "VM.Config.Memory",
  "VM.Config.Network",
  "VM.Config.HWType",
  "VM.Config.Options",
  "VM.Allocate",
  "VM.Clone",
  "VM.Migrate",
  "VM.Snapshot",
  "VM.Snapshot.Rollback",
];
const machineUser = ["VM.Config.CDROM", "VM.Config.Cloudinit", "VM.Console", "VM.Backup", "VM.PowerMgmt"];

const common: Groups = {
  Datastore: {
    admin: ["Datastore.Allocate", "Datastore.AllocateTemplate"],
    user: ["Datastore.AllocateSpace"],
    audit: ["Datastore.Audit"],
  },
  User: { root: ["Realm.Allocate"], admin: ["User.Modify", "Group.Allocate", "Realm.AllocateUser"] },
  Pool: { admin: ["Pool.Allocate"], user: ["Pool.Audit"], audit: ["Pool.Audit"] },
};

const sinceEight: Groups = {
  ...common,
  Sys: {
    root: ["Sys.PowerMgmt", "Sys.Modify", "Sys.Incoming", "Sys.AccessNetwork"],
    admin: ["Sys.Console", "Sys.Syslog"],
    audit: ["Sys.Audit"],
  },
  SDN: { admin: ["SDN.Allocate", "SDN.Audit"], user: ["SDN.Use"], audit: ["SDN.Audit"] },
  Mapping: { admin: ["Mapping.Modify"], user: ["Mapping.Use"], audit: ["Mapping.Audit"] },
};

const groupsOf: Record<Release, Groups> = {
  "7.4": {
    ...common,
    VM: { admin: [...machineAdmin, "VM.Monitor"], user: machineUser, audit: ["VM.Audit"] },
    Sys: {
      root: ["Sys.PowerMgmt", "Sys.Modify", "Sys.Incoming"],
      admin: ["Permissions.Modify", "Sys.Console", "Sys.Syslog"],
      audit: ["Sys.Audit"],
    },
    SDN: { admin: ["SDN.Allocate", "SDN.Audit"], audit: ["SDN.Audit"] },
  },
  "8.4": {
    ...sinceEight,
    VM: { admin: [...machineAdmin, "VM.Monitor"], user: machineUser, audit: ["VM.Audit"] },
  },
  "9.2": {
    ...sinceEight,
    VM: {
      admin: [...machineAdmin, "VM.GuestAgent.Unrestricted", "VM.Replicate"],
      user: [...machineUser, "VM.GuestAgent.FileRead", "VM.GuestAgent.FileSystemMgmt", "VM.GuestAgent.FileWrite"],
      audit: ["VM.Audit", "VM.GuestAgent.Audit"],
    },
  },
};

/** Every privilege that exists in the release. */
export function privilegesOf(release: Release): ReadonlySet<string> {
  const groups = Object.values(groupsOf[release]);
  return new Set(["Permissions.Modify", ...groups.flatMap((group) => Object.values(group).flat())]);
}

/** The built-in roles: one administrator and one user role a group, and the general ones. */
export function builtinRoles(release: Release): Map<string, ReadonlySet<string>> {
  const roles = new Map<string, Set<string>>([
    ["NoAccess", new Set()],
    ["PVEAdmin", new Set()],
    ["PVEAuditor", new Set()],
    ["PVETemplateUser", new Set(["VM.Clone", "VM.Audit"])],
  ]);
  for (const [name, group] of Object.entries(groupsOf[release])) addGroupRoles(roles, name, group);
  roles.get("PVEAdmin")?.delete("Mapping.Modify");
  return new Map<string, ReadonlySet<string>>([...roles, ["Administrator", privilegesOf(release)]]);
}

function addGroupRoles(roles: Map<string, Set<string>>, name: string, group: Groups[string]): void {
  const { admin = [], user = [], audit = [] } = group;
  roles.set(`PVE${name}Admin`, new Set([...admin, ...user, ...audit]));
  if (user.length > 0) roles.set(`PVE${name}User`, new Set([...user, ...audit]));
  for (const privilege of [...admin, ...user, ...audit]) roles.get("PVEAdmin")?.add(privilege);
  for (const privilege of audit) roles.get("PVEAuditor")?.add(privilege);
}
