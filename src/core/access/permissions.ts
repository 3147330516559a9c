// Decides what each role and each API token may do; whose guests and hosts it reaches is decided elsewhere.
import { UserRole } from "../enums.js";
import { accepted, refused, type Checked } from "../problem.js";

/** What the verbs of the service ask for. */
export const Permission = {
  /** Connect hosts; maintenance, migrations, evacuations, balancing; catalogue, tokens, request log, settings. */
  HOSTS_MANAGE: "hosts.manage",
  /** See hosts, nodes, storages and where placement would put a guest. */
  HOSTS_READ: "hosts.read",
  /** Create and delete guests. */
  GUESTS_CREATE: "guests.create",
  /** Power and reinstall guests. */
  GUESTS_OPERATE: "guests.operate",
  /** Create, list and delete customers, and give them guests. */
  USERS_MANAGE: "users.manage",
} as const;
export type Permission = (typeof Permission)[keyof typeof Permission];

const EVERYTHING: readonly Permission[] = Object.values(Permission);

/** What REST v1 offers to any valid token; `hosts.manage` is had only where it was granted. */
const EVERY_TOKEN: readonly Permission[] = EVERYTHING.filter((permission) => permission !== Permission.HOSTS_MANAGE);

const OF_ROLE: Readonly<Record<UserRole, readonly Permission[]>> = {
  [UserRole.ADMIN]: EVERYTHING,
  [UserRole.OPERATOR]: EVERYTHING,
  [UserRole.RESELLER]: EVERY_TOKEN,
  [UserRole.CUSTOMER]: [Permission.GUESTS_OPERATE],
};

const GRANTABLE_ROLES: Readonly<Record<UserRole, readonly UserRole[]>> = {
  [UserRole.ADMIN]: Object.values(UserRole),
  [UserRole.OPERATOR]: [UserRole.RESELLER, UserRole.CUSTOMER],
  [UserRole.RESELLER]: [UserRole.CUSTOMER],
  [UserRole.CUSTOMER]: [],
};

/** @returns what a person with this role may do. */
export const permissionsOfRole = (role: UserRole): readonly Permission[] => OF_ROLE[role];

/** @returns what a token may do: REST v1, and what it was granted beyond that. */
export const permissionsOfToken = (granted: readonly Permission[]): readonly Permission[] =>
  EVERYTHING.filter((permission) => EVERY_TOKEN.includes(permission) || granted.includes(permission));

/** @returns whether a person with role `by` may make or keep an account of role `role`; only admins make operators. */
export const mayGrantRole = (by: UserRole, role: UserRole): boolean => GRANTABLE_ROLES[by].includes(role);

/** @returns the permissions that a new token asks for, or a problem of `permissions` that names the unknown ones. */
export function readPermissions(names: readonly string[]): Checked<readonly Permission[]> {
  const unknown = names.filter((name) => !EVERYTHING.some((permission) => permission === name));
  if (unknown.length === 0) return accepted(EVERYTHING.filter((permission) => names.includes(permission)));
  return refused({
    field: "permissions",
    message: `must be of ${EVERYTHING.join(", ")}; unknown: ${unknown.join(", ")}`,
  });
}
