// Checks passwords, at sign-in and later, and counts wrong ones wherever they are typed.
import { permitSignedIn } from "../../access/permit.js";
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
export function personOf(context: Context): Person {
  permitSignedIn(context);
  const { viewer } = context;
  if (viewer.kind === "user") return viewer;
  throw new DroverError("forbidden", "This is for people: an API token has no password and no sessions");
}

/** A password as it was typed for the account of a name. */
interface TypedPassword {
  readonly username: string;
  readonly password: string;
}

/**
 * Checks a password; a wrong one, and the right one of a disabled account, count, and are in the account's history. Without an account
 * the same work is done: the time that it takes does not say who has one.
 * @returns the account that it opens, which may be disabled; null: it is wrong
 * @throws DroverError `rateLimited` after five that counted in a minute, of an account or an address
 */
export function verifiedAccount(
  context: Context,
  { username, password }: TypedPassword,
  find: () => Promise<UserAccount | null>,
): Promise<UserAccount | null> {
  const { WRONG_PASSWORD, ACCOUNT_DISABLED } = SignInOutcome;
  const verify = async (): Promise<UserAccount | null> => {
    const account = await find();
    const isRight = await verifyPassword(password, account?.passwordHash ?? null);
    const outcome = isRight ? ACCOUNT_DISABLED : WRONG_PASSWORD;
    if (account !== null && !(isRight && account.enabled)) await recordSignIn(context, context.pool, account, outcome);
    return isRight ? account : null;
  };
  return attemptLogin(
    context,
    { username, sourceIp: context.sourceIp },
    verify,
    (account) => account?.enabled !== true,
  );
}

/** Records for the account's history how a sign-in ended, and from where it is known from now on. */
export async function recordSignIn(
  context: Context,
  connection: Connection,
  { id: userId }: UserAccount,
  outcome: SignInOutcome,
): Promise<void> {
  const { sourceIp, userAgent = null, clock } = context;
  const place = { userId, network: networkOf(sourceIp), at: clock.now() };
  await signIns.record(connection, { ...place, sourceIp, userAgent, outcome });
  if (outcome === SignInOutcome.SIGNED_IN) await signIns.know(connection, place);
}
