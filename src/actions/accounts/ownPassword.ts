// Checks a password of an account, and counts wrong ones wherever they are typed.
import { networkOf } from "../../access/admission/caller.js";
import { attemptLogin } from "../../access/loginAttempts.js";
import { verifyPassword } from "../../access/password.js";
import type { Viewer } from "../../access/viewer.js";
import type { Context } from "../../context/context.js";
import { SignInOutcome } from "../../core/enums.js";
import { DroverError } from "../../errors/errors.js";
import * as signIns from "../../store/signIn.js";
import type { Connection } from "../../store/tables.js";
import type { UserAccount } from "../../store/user.js";

/** A signed-in person. */
type Person = Extract<Viewer, { kind: "user" }>;

/** @throws DroverError `forbidden` for an API token, which has neither password nor sessions; `unauthenticated` when nobody is signed in */
export function personOf({ viewer }: Context): Person {
  if (viewer.kind === "user") return viewer;
  if (viewer.kind === "token") throw new DroverError("forbidden", "API tokens have no account");
  throw new DroverError("unauthenticated", "Sign in or send an API token");
}

/** A password as it was typed for the account of a name. */
interface TypedPassword {
  readonly username: string;
  readonly password: string;
}

/**
 * Checks a password; a wrong one is in the account's history. Without an account the same work is done: the time that it takes does
 * not say who has one.
 * @returns the account that it opens; null: it is wrong
 * @throws DroverError `rateLimited` after five wrong ones a minute of an account or an address
 */
export function accountOf(
  context: Context,
  { username, password }: TypedPassword,
  find: () => Promise<UserAccount | null>,
): Promise<UserAccount | null> {
  return attemptLogin(context, { username, sourceIp: context.sourceIp }, async () => {
    const account = await find();
    const isRight = await verifyPassword(password, account?.passwordHash ?? null);
    if (isRight) return account;
    if (account !== null) await recordSignIn(context, context.pool, account, SignInOutcome.WRONG_PASSWORD);
    return null;
  });
}

/** Records for the account's history how a sign-in ended. */
export function recordSignIn(
  context: Context,
  connection: Connection,
  { id: userId }: UserAccount,
  outcome: SignInOutcome,
): Promise<void> {
  const { sourceIp, userAgent = null, clock } = context;
  const network = networkOf(sourceIp);
  return signIns.record(connection, { userId, at: clock.now(), sourceIp, network, userAgent, outcome });
}
