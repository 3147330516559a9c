// Computes what an identity may do on a path, from the access rules, roles, pools and token separation.
import { permissionError } from "../api.js";
import type { AccessRule, AccessState, SubjectType } from "../state/access.js";
import { splitTokenId, superuser } from "../state/access.js";

/** Privilege → whether it propagates to the paths below. */
type Privileges = Map<string, boolean>;

type Roles = Map<string, boolean>;

/** Answers permission questions about one platform. */
export class Permissions {
  constructor(private readonly state: AccessState) {}

  /** Effective privileges of a user or full token id on a normalised path; on an empty one nobody but the superuser has any. */
  of(label: string, path: string): Privileges {
    if (label === superuser) return this.#everything();
    if (path === "") return new Map();
    const token = splitTokenId(label);
    if (token === null) return this.#privileges(label, path);
    const info = this.state.users.get(token.user)?.tokens.get(token.token);
    if (info === undefined) return new Map();
    const ofUser = this.of(token.user, path);
    if (!info.privilegeSeparated) return ofUser;
    const ofToken = this.#privileges(label, path);
    return token.user === superuser ? ofToken : intersection(ofUser, ofToken);
  }

  /** True when the identity holds all of the privileges on the path. */
  has(label: string, path: string, privileges: readonly string[]): boolean {
    const held = this.of(label, path);
    return privileges.every((privilege) => held.has(privilege));
  }

  /** True when the identity holds at least one of the privileges on the path. */
  hasAny(label: string, path: string, privileges: readonly string[]): boolean {
    const held = this.of(label, path);
    return privileges.some((privilege) => held.has(privilege));
  }

  /** @throws ApiError 403 naming the first privilege that is missing */
  check(label: string, path: string, privileges: readonly string[]): void {
    const held = this.of(label, path);
    const missing = privileges.find((privilege) => !held.has(privilege));
    if (missing !== undefined) throw permissionError(`${path}, ${missing}`);
  }

  /** @throws ApiError 403 naming all of the privileges when none is held */
  checkAny(label: string, path: string, privileges: readonly string[]): void {
    if (!this.hasAny(label, path, privileges)) throw permissionError(`${path}, ${privileges.join("|")}`);
  }

  /** The check for a guest, which rights on its future pool satisfy as well. */
  checkGuest(label: string, target: { vmid: number; pool?: string }, privileges: readonly string[]): void {
    if (target.pool !== undefined && this.has(label, `/pool/${target.pool}`, privileges)) return;
    this.check(label, `/vms/${target.vmid}`, privileges);
  }

  /** Like {@link checkGuest}, satisfied by any one of the privileges. */
  checkGuestAny(label: string, target: { vmid: number; pool?: string }, privileges: readonly string[]): void {
    if (target.pool !== undefined && this.hasAny(label, `/pool/${target.pool}`, privileges)) return;
    this.checkAny(label, `/vms/${target.vmid}`, privileges);
  }

  /** True when the identity may use or see a bridge, or one of its VLANs. */
  hasBridge(label: string, bridge: string, privileges: readonly string[]): boolean {
    const path = `/sdn/zones/localnetwork/${bridge}`;
    const vlans = this.state.rules.map((rule) => rule.path).filter((rulePath) => rulePath.startsWith(`${path}/`));
    return [path, ...vlans].some((candidate) => this.hasAny(label, candidate, privileges));
  }

  /** Privileges that may change the rules of a path. */
  modifiers(path: string): string[] {
    const own = /^\/(storage|vms|pool)\/.+$/.exec(path)?.[1] ?? "";
    const extra: Record<string, string> = {
      storage: "Datastore.Allocate",
      vms: "VM.Allocate",
      pool: "Pool.Allocate",
    };
    const allocate = extra[own];
    return allocate === undefined ? ["Permissions.Modify"] : ["Permissions.Modify", allocate];
  }

  #everything(): Privileges {
    return new Map([...(this.state.roles.get("Administrator") ?? [])].map((privilege) => [privilege, true]));
  }

  #privileges(label: string, path: string): Privileges {
    const privileges: Privileges = new Map();
    for (const [role, propagate] of this.#rolesWithPools(label, path))
      for (const privilege of this.state.roles.get(role) ?? [])
        privileges.set(privilege, (privileges.get(privilege) ?? false) || propagate);
    return privileges;
  }

  #rolesWithPools(label: string, path: string): Roles {
    const roles = this.#roles(label, path);
    const pooled = this.#poolRoles(label, path);
    if (roles.has("NoAccess")) return roles;
    if (pooled.has("NoAccess")) return new Map([["NoAccess", false]]);
    for (const role of pooled.keys()) if (!roles.has(role)) roles.set(role, false);
    return roles;
  }

  #poolRoles(label: string, path: string): Roles {
    const roles: Roles = new Map();
    for (const pool of this.state.pools.values()) {
      const member =
        [...pool.vmids].some((vmid) => path === `/vms/${vmid}`) ||
        [...pool.storages].some((storage) => path === `/storage/${storage}`);
      if (member) for (const [role] of this.#roles(label, `/pool/${pool.poolid}`)) roles.set(role, false);
    }
    return roles;
  }

  /** Rules nearer to the path replace those above; at one level token beats user beats group. */
  #roles(label: string, path: string): Roles {
    let roles: Roles = new Map();
    for (const level of levels(path)) {
      const here = this.state.rules.filter((rule) => rule.path === level && (rule.propagate || level === path));
      roles = this.#nearest(label, here) ?? roles;
    }
    return roles;
  }

  #nearest(label: string, rules: AccessRule[]): Roles | null {
    const pick = (type: SubjectType, matches: (ugid: string) => boolean): Roles | null => {
      const found = rules.filter((rule) => rule.type === type && matches(rule.ugid));
      return found.length === 0 ? null : new Map(found.map((rule) => [rule.roleid, rule.propagate]));
    };
    const isLabel = (ugid: string): boolean => ugid === label;
    const isGroup = (ugid: string): boolean => this.state.groups.get(ugid)?.has(label) ?? false;
    return pick("token", isLabel) ?? pick("user", isLabel) ?? pick("group", isGroup);
  }
}

/** `/vms/100` → `/`, `/vms`, `/vms/100`. */
function levels(path: string): string[] {
  const parts = path.split("/").filter((part) => part !== "");
  return ["/", ...parts.map((_, index) => `/${parts.slice(0, index + 1).join("/")}`)];
}

function intersection(ofUser: Privileges, ofToken: Privileges): Privileges {
  const shared = [...ofToken].filter(([privilege]) => ofUser.has(privilege));
  return new Map(shared.map(([privilege, propagate]) => [privilege, propagate && ofUser.get(privilege) === true]));
}
