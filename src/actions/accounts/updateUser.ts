// Changes an account: its address and names, its role, and whether its person may come in.
import type { Context } from "../../context/context.js";
import { mayGrantRole } from "../../core/access/permissions.js";
import { userProblems } from "../../core/access/userInput.js";
import { UserRole } from "../../core/enums.js";
import { inTransaction } from "../../db/transaction.js";
import { brokenUnique } from "../../db/unique.js";
import { DroverError, notFound, validationError } from "../../errors/errors.js";
import type { Connection } from "../../store/tables.js";
import * as users from "../../store/user.js";
import type { AccountChange, HeldAccount } from "../../store/user.js";
import { findManaged, holdManaged } from "./findUser.js";
import { refuseLastAdmin } from "./lastAdmin.js";
import { blankAsNull, duplicates } from "./user.js";

type Optional<Value> = Value | null | undefined;

/** What is to change; what is left out stays, and so does what is null, but for `userId`. */
export interface UserUpdate {
  readonly email?: Optional<string>;
  readonly username?: Optional<string>;
  /** Null or blank: none. */
  readonly userId?: Optional<string>;
  readonly role?: Optional<UserRole>;
  readonly enabled?: Optional<boolean>;
}

/**
 * Changes an account. The sessions of a user that is disabled no longer count, at once here and within a second in every other
 * process; those that have not ended count again when it is enabled.
 * @throws DroverError `validation` that names every offending field, duplicates too; `notFound` also for users whom the caller does
 *   not see; `forbidden` for a role above the caller's; `conflict` for the last enabled admin (`LAST_ADMIN`) and for disabling oneself
 *   (`OWN_ACCOUNT`)
 */
export async function updateUser(context: Context, id: number, update: UserUpdate): Promise<void> {
  await findManaged(context, id);
  const change = changeOf(update);
  await changeAccount(context, id, change, async (client) => {
    const held = await holdManaged(context, client, id);
    refuseRole(context, held, change.role ?? held.role);
    refuseLastEnd(held, change);
    refuseOwnEnd(context, id, change);
  });
}

/**
 * The same for the operator of the machine, who may do anything but leave the service without an admin: also to the admin in whose
 * name commands act.
 */
export async function updateAnyUser(context: Context, id: number, update: UserUpdate): Promise<void> {
  const change = changeOf(update);
  await changeAccount(context, id, change, async (client) => {
    const held = await users.holdForChange(client, id);
    if (held === null) throw notFound(`User ${id}`);
    refuseLastEnd(held, change);
  });
}

async function changeAccount(
  context: Context,
  id: number,
  change: AccountChange,
  hold: (client: Connection) => Promise<void>,
): Promise<void> {
  await refuseProblems(context, id, change);
  const isChanged = await inTransaction(context.pool, async (client) => {
    await hold(client);
    return Object.keys(change).length === 0 || users.change(client, id, change);
  }).catch(async (error: unknown) => {
    if (brokenUnique(error) === null) throw error;
    // What does not change is looked for by a text that nobody has.
    throw validationError(await duplicates(context, { email: "", username: "", ...change }, id));
  });
  if (!isChanged) throw notFound(`User ${id}`);
  context.events.emitLocal("access", 0);
}

/** @throws DroverError conflict (`LAST_ADMIN`) when the last admin would be one no more, or could not sign in */
function refuseLastEnd(held: HeldAccount, { role = held.role, enabled }: AccountChange): void {
  if (role !== UserRole.ADMIN || enabled === false) refuseLastAdmin(held);
}

/** A role that stays is nobody's to grant. @throws DroverError forbidden */
function refuseRole({ viewer }: Context, held: HeldAccount, role: UserRole): void {
  if (role === held.role) return;
  const mayGrant = viewer.kind === "user" && mayGrantRole(viewer.role, role);
  if (!mayGrant) throw new DroverError("forbidden", `You may not make a user of role ${role}`);
}

/** @throws DroverError conflict: whoever is disabled could not take it back */
function refuseOwnEnd({ viewer }: Context, id: number, { enabled }: AccountChange): void {
  if (enabled === false && viewer.kind === "user" && viewer.userId === id)
    throw new DroverError("conflict", "You cannot disable your own account", { reason: "OWN_ACCOUNT" });
}

function changeOf({ email, username, userId, role, enabled }: UserUpdate): AccountChange {
  return {
    ...(typeof email === "string" ? { email: email.trim() } : {}),
    ...(typeof username === "string" ? { username: username.trim() } : {}),
    ...(userId === undefined ? {} : { externalId: blankAsNull(userId) }),
    ...(role ? { role } : {}),
    ...(typeof enabled === "boolean" ? { enabled } : {}),
  };
}

/** @throws DroverError validation */
async function refuseProblems({ pool }: Context, id: number, change: AccountChange): Promise<void> {
  const account = await users.ofId(pool, id);
  if (account === null) throw notFound(`User ${id}`);
  const { email, username } = account;
  const problems = userProblems({ email, username, externalId: null, ...change });
  if (problems.length > 0) throw validationError(problems);
}
