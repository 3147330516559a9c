// Reads users and the public side of their SSH keys.
import { permissionsOfRole } from "../../core/access/permissions.js";
import { UserRole } from "../../core/enums.js";
import { contains, given, type Optional } from "../engine/criteria.js";
import { column, expression, many, moment, type ReadModel } from "../engine/model.js";
import type { Clause } from "../engine/read.js";
import { visibleGuest, visibleUser } from "./visibility.js";

export const sshKeys: ReadModel = {
  type: "SshKey",
  from: (row) => `ssh_key ${row} join user_account ${row}_user on ${row}_user.id = ${row}.user_id`,
  visible: (row, viewer, bind) => visibleUser(`${row}_user`, viewer, bind),
  fields: {
    id: column("id"),
    name: column("name"),
    fingerprint: column("fingerprint"),
  },
};

/** What the user's role allows: a rule of the service, not a column. */
const permissionsSql = (row: string): string => {
  const cases = Object.values(UserRole).map((role) => `when '${role}' then '{${permissionsOfRole(role).join(",")}}'`);
  return `(case ${row}.role ${cases.join(" ")} end)::text[]`;
};

const hasKey = (row: string): string =>
  `exists (select from totp where totp.user_id = ${row}.id and totp.last_step is not null)`;
const codesLeft = (row: string): string => `(select count(*)::int from recovery_code rc where rc.user_id = ${row}.id)`;

export const users: ReadModel = {
  type: "User",
  key: "id",
  from: (row) => `user_account ${row}`,
  visible: visibleUser,
  fields: {
    id: column("id"),
    email: column("email"),
    username: column("username"),
    userId: column("external_id"),
    role: column("role"),
    permissions: expression(permissionsSql),
    guestCount: expression(
      (row, bind, viewer) =>
        `(select count(*) from guest gc where gc.owner_id = ${row}.id and ${visibleGuest("gc", viewer, bind)})`,
    ),
    enabled: column("enabled"),
    secondFactors: expression(
      (row) =>
        `array_remove(array[case when ${hasKey(row)} then 'totp' end, case when ${codesLeft(row)} > 0 then 'recovery_code' end], null)`,
    ),
    recoveryCodesLeft: expression(codesLeft),
    createdAt: moment("created_at"),
    sshKeys: many(
      () => sshKeys,
      (row, child) => `${child}.user_id = ${row}.id`,
      (child) => `${child}.id`,
    ),
  },
};

/** Which users to list; what is left out does not restrict. */
interface UserCriteria {
  readonly role?: Optional<UserRole>;
  /** Whole, in any case. */
  readonly email?: Optional<string>;
  /** Whole, in any case. */
  readonly username?: Optional<string>;
  /** The own id, as it was given. */
  readonly userId?: Optional<string>;
  /** Part of the e-mail, the login name or the own id, in any case. */
  readonly search?: Optional<string>;
}

/** Condition on a row of `user_account`: what users are found by has this pattern in it. */
export const userFound = (row: string, pattern: string): string =>
  `(${row}.email ilike ${pattern} or ${row}.username ilike ${pattern} or ${row}.external_id ilike ${pattern})`;

/** The conditions of a filter. */
export const userClauses = ({ role, email, username, userId, search }: UserCriteria): Clause[] => [
  ...given(role, (row, wanted) => `${row}.role = ${wanted}`),
  ...given(email, (row, wanted) => `lower(${row}.email) = lower(${wanted})`),
  ...given(username, (row, wanted) => `lower(${row}.username) = lower(${wanted})`),
  ...given(userId, (row, wanted) => `${row}.external_id = ${wanted}`),
  ...given(typeof search === "string" ? contains(search) : null, userFound),
];
