// Signs people in.
import { newAccessToken } from "../../access/accessToken.js";
import { costsLess, hashPassword, verifyPassword } from "../../access/password.js";
import type { Context } from "../../context/context.js";
import { SessionKind, SignInOutcome } from "../../core/enums.js";
import { inTransaction } from "../../db/transaction.js";
import { DroverError } from "../../errors/errors.js";
import * as sessions from "../../store/session.js";
import * as users from "../../store/user.js";
import type { UserAccount } from "../../store/user.js";
import { verifiedAccount, recordSignIn } from "./checkedPassword.js";

const SESSION_HOURS = 12;
const LONGEST_USERNAME = 254;

interface LoginInput {
  readonly username: string;
  readonly password: string;
}

/** A session that was just opened. */
interface OpenedSession {
  /** The session's bearer token; returned only here. */
  readonly token: string;
  readonly expiresAt: Date;
  readonly userId: number;
}

/**
 * Opens a session of 12 hours.
 * @throws DroverError `unauthenticated` for an unknown user and for a wrong password alike, and (`ACCOUNT_DISABLED`) for the right
 *   password of a disabled account; `rateLimited` after five wrong ones
 */
export async function login(context: Context, { username, password }: LoginInput): Promise<OpenedSession> {
  // No account has such a name; it is not even worth counting.
  if (username.length > LONGEST_USERNAME || username.includes("\0")) throw wrongPassword();
  const account = await verifiedAccount(context, { username, password }, () => users.ofName(context.pool, username));
  if (account === null) throw wrongPassword();
  if (!account.enabled)
    throw new DroverError("unauthenticated", "This account is disabled", { reason: "ACCOUNT_DISABLED" });
  const opened = (await openSession(context, account)) ?? (await openAgain(context, account, password));
  if (opened === null) throw wrongPassword();
  await raiseCost(context, account, password);
  return opened;
}

/** Another sign-in may have hashed the password again since it was checked. @returns null when it is another password */
async function openAgain(context: Context, { id }: UserAccount, password: string): Promise<OpenedSession | null> {
  const account = await users.ofId(context.pool, id);
  const isRight = account !== null && (await verifyPassword(password, account.passwordHash));
  return isRight ? openSession(context, account) : null;
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
async function openSession(context: Context, account: UserAccount): Promise<OpenedSession | null> {
  const now = context.clock.now();
  const { value, hash } = newAccessToken("session");
  const expiresAt = new Date(now.getTime() + SESSION_HOURS * 3_600_000);
  const { sourceIp, userAgent = null } = context;
  const { id: userId, passwordHash } = account;
  const session = {
    userId,
    passwordHash,
    tokenHash: hash,
    kind: SessionKind.BEARER,
    now,
    expiresAt,
    sourceIp,
    userAgent,
  };
  const isOpened = await inTransaction(context.pool, async (client) => {
    if (!(await sessions.open(client, session))) return false;
    await recordSignIn(context, client, account, SignInOutcome.SIGNED_IN);
    return true;
  });
  return isOpened ? { token: value, expiresAt, userId } : null;
}
