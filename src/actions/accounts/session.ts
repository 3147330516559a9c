// Signs people in and out.
import { attemptLogin } from "../../access/loginAttempts.js";
import { newBearerToken } from "../../access/bearerToken.js";
import { verifyPassword } from "../../access/password.js";
import { permitSignedIn } from "../../access/permit.js";
import type { Context } from "../../context/context.js";
import { DroverError } from "../../errors/errors.js";
import * as sessions from "../../store/session.js";
import * as users from "../../store/user.js";

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
 * @throws DroverError `unauthenticated` for an unknown user and for a wrong password alike, `rateLimited` after five wrong ones
 */
export async function login(context: Context, { username, password }: LoginInput): Promise<OpenedSession> {
  // No account has such a name; it is not even worth counting.
  if (username.length > LONGEST_USERNAME || username.includes("\0")) throw wrongPassword();
  const attempt = { username, sourceIp: context.sourceIp };
  const user = await attemptLogin(context, attempt, () => findByPassword(context, { username, password }));
  if (user === null) throw wrongPassword();
  return openSession(context, user.id);
}

const wrongPassword = (): DroverError => new DroverError("unauthenticated", "The username or the password is wrong");

/**
 * Ends the caller's session at once.
 * @returns false when the caller has none, as with an API token
 * @throws DroverError `unauthenticated` when nobody is signed in
 */
export async function logout(context: Context): Promise<boolean> {
  permitSignedIn(context);
  const { viewer } = context;
  if (viewer.kind !== "user") return false;
  await sessions.close(context.pool, viewer.sessionHash);
  context.events.emitLocal("access", 0);
  return true;
}

async function findByPassword(
  context: Context,
  { username, password }: LoginInput,
): Promise<{ readonly id: number } | null> {
  const user = await users.ofName(context.pool, username);
  // Without such a user the same work is done: the time that it takes tells nobody who has an account.
  const isRight = await verifyPassword(password, user?.passwordHash ?? null);
  return isRight ? user : null;
}

async function openSession(context: Context, userId: number): Promise<OpenedSession> {
  const now = context.clock.now();
  const { value, hash } = newBearerToken("session");
  const expiresAt = new Date(now.getTime() + SESSION_HOURS * 3_600_000);
  await sessions.open(context.pool, { userId, tokenHash: hash, now, expiresAt });
  return { token: value, expiresAt, userId };
}
