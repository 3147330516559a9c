// Signs people in.
import { newAccessToken } from "../../access/accessToken.js";
import { costsLess, hashPassword, verifyPassword } from "../../access/password.js";
import type { Context } from "../../context/context.js";
import { SessionKind, SignInOutcome } from "../../core/enums.js";
import { inTransaction } from "../../db/transaction.js";
import { DroverError } from "../../errors/errors.js";
import * as sessions from "../../store/session.js";
import * as settings from "../../store/setting.js";
import * as users from "../../store/user.js";
import type { UserAccount } from "../../store/user.js";
import { verifiedAccount, recordSignIn } from "./checkedPassword.js";

const LONGEST_USERNAME = 254;

interface LoginInput {
  readonly username: string;
  readonly password: string;
  /** Whether the session lasts for days, and outlasts the browser. */
  readonly remember?: boolean;
}

/** A session that was just opened. */
interface OpenedSession {
  /** The session's bearer token; returned only here. Null: the answer's cookie has it. */
  readonly token: string | null;
  readonly expiresAt: Date;
  readonly userId: number;
}

/** What a right password opens. */
interface WantedSession {
  readonly remember: boolean;
  readonly kind: SessionKind;
}

/**
 * Opens a session, by the cookie of the answer where one is wanted.
 * @throws DroverError `unauthenticated` for an unknown user and for a wrong password alike, and (`ACCOUNT_DISABLED`) for the right
 *   password of a disabled account; `rateLimited` after five wrong ones
 */
export async function login(context: Context, input: LoginInput): Promise<OpenedSession> {
  const { username, password, remember = false } = input;
  // No account has such a name; it is not even worth counting.
  if (username.length > LONGEST_USERNAME || username.includes("\0")) throw wrongPassword();
  const account = await verifiedAccount(context, { username, password }, () => users.ofName(context.pool, username));
  if (account === null) throw wrongPassword();
  if (!account.enabled)
    throw new DroverError("unauthenticated", "This account is disabled", { reason: "ACCOUNT_DISABLED" });
  const wanted = { remember, kind: context.sessionCookie?.isWanted === true ? SessionKind.COOKIE : SessionKind.BEARER };
  const opened =
    (await openSession(context, account, wanted)) ?? (await openAgain(context, { account, password, wanted }));
  if (opened === null) throw wrongPassword();
  await raiseCost(context, account, password);
  return opened;
}

/** Another sign-in may have hashed the password again since it was checked. @returns null when it is another password */
async function openAgain(context: Context, { account, password, wanted }: Reopening): Promise<OpenedSession | null> {
  const now = await users.ofId(context.pool, account.id);
  const isRight = now !== null && (await verifyPassword(password, now.passwordHash));
  return isRight ? openSession(context, now, wanted) : null;
}

interface Reopening {
  /** As it was found. */
  readonly account: UserAccount;
  readonly password: string;
  readonly wanted: WantedSession;
}

const wrongPassword = (): DroverError => new DroverError("unauthenticated", "The username or the password is wrong");

/** A password that was hashed at a lower cost is hashed again now that it is known. What fails of it is done at the next sign-in. */
async function raiseCost({ pool, log }: Context, account: UserAccount, password: string): Promise<void> {
  const { id, passwordHash: was } = account;
  if (!costsLess(was)) return;
  try {
    await users.setPassword(pool, { id, was, passwordHash: await hashPassword(password) });
  } catch (error) {
    log.warn({ err: error, userId: id }, "a password could not be hashed at the present cost");
  }
}

/** @returns null when the account was deleted, disabled or given another password since it was found */
async function openSession(
  context: Context,
  account: UserAccount,
  { kind, remember }: WantedSession,
): Promise<OpenedSession | null> {
  const { pool, clock, sourceIp, userAgent = null } = context;
  const { id: userId, passwordHash } = account;
  const now = clock.now();
  const lasts = await lifeOf(context, remember);
  const expiresAt = new Date(now.getTime() + lasts);
  const { value, hash: tokenHash } = newAccessToken(kind === SessionKind.COOKIE ? "cookie" : "session");
  const session = { userId, passwordHash, tokenHash, kind, now, expiresAt, sourceIp, userAgent };
  const isOpened = await inTransaction(pool, async (client) => {
    if (!(await sessions.open(client, session))) return false;
    await recordSignIn(context, client, account, SignInOutcome.SIGNED_IN);
    return true;
  });
  if (!isOpened) return null;
  if (kind === SessionKind.BEARER) return { token: value, expiresAt, userId };
  context.sessionCookie?.set(value, remember ? lasts : null);
  return { token: null, expiresAt, userId };
}

const HOUR_MS = 3_600_000;

/** @returns milliseconds */
async function lifeOf({ pool }: Context, remember: boolean): Promise<number> {
  const life = await settings.sessionLife(pool);
  if (life === null) throw new Error("There are no settings");
  return remember ? life.rememberedDays * 24 * HOUR_MS : life.hours * HOUR_MS;
}
