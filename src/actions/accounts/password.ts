// Changes passwords: people their own, operators those of the users whom they manage.
import { commonPasswords } from "../../access/commonPasswords.js";
import { generatePassword, hashPassword } from "../../access/password.js";
import type { Context } from "../../context/context.js";
import { passwordProblems } from "../../core/access/passwordRules.js";
import { inTransaction } from "../../db/transaction.js";
import { DroverError, notFound, validationError } from "../../errors/errors.js";
import * as sessions from "../../store/session.js";
import type { Connection } from "../../store/tables.js";
import * as users from "../../store/user.js";
import { findManaged, holdManaged } from "./findUser.js";
import { ownAccount, personOf } from "./checkedPassword.js";

interface PasswordChange {
  readonly current: string;
  readonly next: string;
}

/**
 * Changes the caller's own password, and ends their other sessions.
 * @throws DroverError `unauthenticated` (`WRONG_PASSWORD`), counted as at sign-in; `rateLimited`; `validation` for a weak one;
 *   `conflict` when it was changed meanwhile; `forbidden` for an API token
 */
export async function changePassword(context: Context, { current, next }: PasswordChange): Promise<void> {
  const person = personOf(context);
  const account = await ownAccount(context, person, current);
  const { userId, sessionId } = person;
  const common = await commonPasswords();
  const problems = passwordProblems(next, account, { field: "new", isCommon: (lowerCase) => common.has(lowerCase) });
  if (problems.length > 0) throw validationError(problems);
  const passwordHash = await hashPassword(next);
  await inTransaction(context.pool, async (client) => {
    if (!(await users.setPassword(client, { id: userId, was: account.passwordHash, passwordHash })))
      throw new DroverError("conflict", "The password was changed at the same moment", { reason: "PASSWORD_CHANGED" });
    await sessions.closeAll(client, userId, sessionId);
  });
  context.events.emitLocal("access", 0);
}

/**
 * Gives a user a generated password, and ends all of their sessions.
 * @returns the password; only here
 * @throws DroverError `notFound` also for users whom the caller does not see; `forbidden`; `conflict` (`OWN_ACCOUNT`): one's own is
 *   changed by whoever knows it
 */
export async function resetPassword(context: Context, id: number): Promise<string> {
  await findManaged(context, id);
  if (context.viewer.kind === "user" && context.viewer.userId === id)
    throw new DroverError("conflict", "Change your own password with the present one", { reason: "OWN_ACCOUNT" });
  return replacePassword(context, id, (client) => holdManaged(context, client, id));
}

/** Gives an account a generated password, whosever it is, for the operator of the machine. @throws DroverError notFound */
export const resetAnyPassword = (context: Context, id: number): Promise<string> =>
  replacePassword(context, id, () => Promise.resolve());

async function replacePassword(
  context: Context,
  id: number,
  hold: (client: Connection) => Promise<unknown>,
): Promise<string> {
  const password = generatePassword();
  const passwordHash = await hashPassword(password);
  await inTransaction(context.pool, async (client) => {
    await hold(client);
    if (!(await users.setPassword(client, { id, was: null, passwordHash }))) throw notFound(`User ${id}`);
    await sessions.closeAll(client, id, null);
  });
  context.events.emitLocal("access", 0);
  return password;
}
