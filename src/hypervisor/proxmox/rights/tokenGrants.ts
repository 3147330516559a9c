// Says what the temporary token of a move is granted on the target, and which rights it takes to grant it.
import type { Permissions, Right } from "./privileges.js";
import { missingRights } from "./privileges.js";
import { bridgePath, hasBridgeRights, MODIFY, type NamedArrival } from "./targetRights.js";

/** A role that the service keeps on targets: no built-in one is as small. */
export interface KeptRole {
  readonly name: string;
  readonly privileges: readonly string[];
}

/** Opens the tunnel; `Sys.Incoming` is in no built-in role but the administrator's. */
const TUNNEL_ROLE: KeptRole = { name: "DroverMigration", privileges: ["Sys.Audit", "Sys.Incoming"] };
/** The same for a guest that only who may change the system can give to a new one. */
const MODIFYING_ROLE: KeptRole = { name: "DroverMigrationModify", privileges: [...TUNNEL_ROLE.privileges, MODIFY] };
/** Makes and configures the guest. The built-in `PVEVMAdmin` would open its console and monitor too. */
const GUEST_ROLE: KeptRole = {
  name: "DroverMigrationGuest",
  privileges: [
    "VM.Allocate",
    "VM.Config.CDROM",
    "VM.Config.CPU",
    "VM.Config.Cloudinit",
    "VM.Config.Disk",
    "VM.Config.HWType",
    "VM.Config.Memory",
    "VM.Config.Network",
    "VM.Config.Options",
    "VM.PowerMgmt",
  ],
};

/** A role of the token on a path, and on everything below it if it propagates. */
interface TokenGrant {
  readonly path: string;
  readonly role: string;
  readonly propagate: boolean;
}

export interface PrivilegeLimits {
  /** Roles that must be there, with exactly these privileges. */
  readonly roles: readonly KeptRole[];
  readonly grants: readonly TokenGrant[];
}

const rootRole = (modifies: boolean): KeptRole => (modifies ? MODIFYING_ROLE : TUNNEL_ROLE);

/** @returns the roles that must be there. */
export const tokenRoles = (modifies: boolean): readonly KeptRole[] => [rootRole(modifies), GUEST_ROLE];

/** @param modifies whether the guest needs the right to change the system */
export function tokenLimits({ version, vmid, storages, bridges }: NamedArrival, modifies: boolean): PrivilegeLimits {
  const roles = tokenRoles(modifies);
  const networks = hasBridgeRights(version) ? [...new Set(bridges.map(bridgePath))] : [];
  return {
    roles,
    grants: [
      { path: "/", role: rootRole(modifies).name, propagate: false },
      { path: `/vms/${vmid}`, role: GUEST_ROLE.name, propagate: false },
      ...storages.map((name) => ({ path: `/storage/${name}`, role: "PVEDatastoreUser", propagate: false })),
      // Rights on VLANs are inherited from their bridge, and rights on vnets from the zones.
      ...networks.map((path) => ({ path, role: "PVESDNUser", propagate: true })),
    ],
  };
}

/** Privileges of roles by their names. */
export type Roles = ReadonlyMap<string, ReadonlySet<string>>;

/** @returns whether the role is there with exactly its privileges. */
export function isAsKept({ name, privileges }: KeptRole, roles: Roles): boolean {
  const found = roles.get(name);
  return found?.size === privileges.length && privileges.every((privilege) => found.has(privilege));
}

/** @param roles null: not known @returns what the connection lacks to give a token these limits */
export function missingToLimit(
  { roles: kept, grants }: PrivilegeLimits,
  roles: Roles | null,
  held: Permissions | null,
): Right[] {
  const isToMake = roles === null || kept.some((role) => !isAsKept(role, roles));
  const paths = [...new Set(grants.map(({ path }) => path))];
  const needed = [
    ...paths.map((path) => ({ path, privileges: ["Permissions.Modify"] })),
    ...(isToMake ? [{ path: "/access", privileges: [MODIFY] }] : []),
  ];
  return missingRights(needed, held);
}
