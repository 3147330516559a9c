// Checks passwords, at sign-in and later, and counts what is wrong wherever it is typed.
import { permitKnown } from "../../access/permit.js";
import { networkOf } from "../../access/admission/caller.js";
import { attemptLogin } from "../../access/loginAttempts.js";
import { verifyPassword } from "../../access/password.js";
import type { Viewer } from "../../access/viewer.js";
import type { Context } from "../../context/context.js";
import { SignInOutcome } from "../../core/enums.js";
import { DroverError } from "../../errors/errors.js";
import * as signIns from "../../store/signIn.js";
import type { Connection } from "../../store/tables.js";
import * as users from "../../store/user.js";
import type { UserAccount } from "../../store/user.js";

/** A signed-in person. */
export type Person = Extract<Viewer, { kind: "user" }>;

/** @throws DroverError `forbidden` for an API token, which has neither password nor sessions; `unauthenticated` when nobody is signed in */
export function personOf(context: Context): Person {
  permitKnown(context);
  const { viewer } = context;
  if (viewer.kind === "user") return viewer;
  throw new DroverError("forbidden", "This is for people: an API token has no password and no sessions");
}

/** Why a try has opened nothing. */
export type SignInRefusal = Exclude<SignInOutcome, typeof SignInOutcome.SIGNED_IN>;

export interface RefusedTry {
  /** Null: no account has the name. */
  readonly account: UserAccount | null;
  readonly refused: SignInRefusal;
}

interface PassedTry {
  readonly account: UserAccount;
  readonly refused: null;
}

/** What a try to prove who one is has come to. */
type Try = PassedTry | RefusedTry;

/**
 * Has an account tried, if it and the address have tries left: one that is refused counts, and is in the account's history.
 * @throws DroverError `rateLimited` after five that counted in a minute, of an account or an address; and what `attempt` throws,
 *   which does not count
 */
export function countedTry<One extends Try>(
  context: Context,
  username: string,
  attempt: () => Promise<One>,
): Promise<One> {
  const recorded = async (): Promise<One> => {
    const one = await attempt();
    if (one.refused !== null && one.account !== null)
      await recordSignIn(context, context.pool, one.account, one.refused);
    return one;
  };
  return attemptLogin(context, { username, sourceIp: context.sourceIp }, recorded, ({ refused }) => refused !== null);
}

/** Without an account the same work is done: the time that it takes does not say who has one. */
export async function tryPassword(account: UserAccount | null, password: string): Promise<Try> {
  const isRight = await verifyPassword(password, account?.passwordHash ?? null);
  if (account === null || !isRight) return { account, refused: SignInOutcome.WRONG_PASSWORD };
  return account.enabled ? { account, refused: null } : { account, refused: SignInOutcome.ACCOUNT_DISABLED };
}

/**
 * The account of who is signed in, by its password.
 * @throws DroverError `unauthenticated` (`WRONG_PASSWORD`), counted as at sign-in; `rateLimited`
 */
export async function ownAccount(
  context: Context,
  { userId, username }: Person,
  password: string,
): Promise<UserAccount> {
  const { account, refused } = await countedTry(context, username, async () =>
    tryPassword(await users.ofId(context.pool, userId), password),
  );
  if (refused !== null || account === null)
    throw new DroverError("unauthenticated", "The password is wrong", { reason: "WRONG_PASSWORD" });
  return account;
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
