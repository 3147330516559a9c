// Finds a user whom the caller may manage.
import { outOfScope, permit, permitEverywhere } from "../../access/permit.js";
import type { Context } from "../../context/context.js";
import { mayGrantRole, Permission } from "../../core/access/permissions.js";
import { UserRole } from "../../core/enums.js";
import { DroverError, notFound } from "../../errors/errors.js";
import { Parameters } from "../../reads/engine/statement.js";
import { visibleUser } from "../../reads/models/visibility.js";
import * as guests from "../../store/guest/known.js";
import type { Connection } from "../../store/tables.js";
import * as users from "../../store/user.js";

/** An account, as far as it decides what may be done with it. */
export interface FoundUser {
  readonly id: number;
  readonly role: UserRole;
  /** Null: no person made it. */
  readonly createdBy: number | null;
}

/** Whom tokens manage, whomever they see: nobody who works for the operator. */
const ROLES_OF_TOKENS: readonly UserRole[] = [UserRole.CUSTOMER, UserRole.RESELLER];

/**
 * Finds a user to whom guests, keys or deletion may come; for tokens a customer.
 * @throws DroverError `notFound` also for users whom the caller does not see
 */
export async function findUser(context: Context, id: number): Promise<FoundUser> {
  return find(context, id, [UserRole.CUSTOMER]);
}

/**
 * Finds a user whose account the caller may change: an account below their own role, or their own. What a token of bounded scope may
 * change must reach nothing outside its scope: who signs in as that user would.
 * @throws DroverError `notFound` also for users whom the caller does not see; `forbidden`
 */
export async function findManaged(context: Context, id: number): Promise<FoundUser> {
  permit(context, Permission.USERS_MANAGE);
  const user = await find(context, id, ROLES_OF_TOKENS);
  const { viewer } = context;
  if (viewer.kind === "user" && viewer.userId !== id && !mayGrantRole(viewer.role, user.role))
    throw unmanaged(user.role);
  if (user.role === UserRole.RESELLER) permitEverywhere(context, "The customers of a reseller");
  await refuseOwnerElsewhere(context, id);
  return user;
}

/**
 * Keeps an account that the caller may change as it is until the transaction ends: its role may be another than when it was found.
 * @throws DroverError `notFound`; `forbidden`
 */
export async function holdManaged({ viewer }: Context, client: Connection, id: number): Promise<users.HeldAccount> {
  const held = await users.holdForChange(client, id);
  if (held === null || (viewer.kind === "token" && !ROLES_OF_TOKENS.includes(held.role))) throw notFound(`User ${id}`);
  if (viewer.kind === "user" && viewer.userId !== id && !mayGrantRole(viewer.role, held.role))
    throw unmanaged(held.role);
  return held;
}

const unmanaged = (role: UserRole): DroverError =>
  new DroverError("forbidden", `You may not manage a user of role ${role}`);

/** An account, by what people call it. */
interface NamedUser {
  readonly id: number;
  readonly username: string;
}

/** Whose login name it is, in any case, or whose id. @throws DroverError notFound; conflict when it is a name and another's id */
export async function namedUser({ pool }: Pick<Context, "pool">, nameOrId: string): Promise<NamedUser> {
  const named = await users.ofName(pool, nameOrId);
  const numbered = /^[1-9]\d{0,8}$/.test(nameOrId) ? await users.ofId(pool, Number(nameOrId)) : null;
  if (named !== null && numbered !== null && named.id !== numbered.id)
    throw new DroverError(
      "conflict",
      `${nameOrId} is the login name of user ${named.id}, and the id of ${numbered.username}`,
    );
  const found = named ?? numbered;
  if (found === null) throw notFound(`User ${nameOrId}`);
  return found;
}

/** Guests of the user that the caller does not reach are changed with the account. @throws DroverError forbidden */
export async function refuseOwnerElsewhere({ pool, viewer }: Context, id: number): Promise<void> {
  if (await guests.isOwnedElsewhere(pool, id, viewer.hostIds)) throw outOfScope("The user has guests");
}

async function find(
  { viewer, pool, clock }: Context,
  id: number,
  rolesOfTokens: readonly UserRole[],
): Promise<FoundUser> {
  const parameters = new Parameters();
  const visible = visibleUser("u", viewer, parameters.bind) ?? "true";
  const text = `select u.id, u.role, u.created_by as "createdBy" from user_account u
    where u.id = ${parameters.value(id)} and ${visible}`;
  const values = parameters.values({ viewer, now: clock.now(), variables: {} });
  const { rows } = await pool.query<FoundUser>(text, values);
  const [user] = rows;
  if (user === undefined || (viewer.kind === "token" && !rolesOfTokens.includes(user.role)))
    throw notFound(`User ${id}`);
  return user;
}
