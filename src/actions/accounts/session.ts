// Signs people in: by their password and, where they have one, a second factor.
import { newAccessToken } from "../../access/accessToken.js";
import { costsLess, hashPassword, verifyPassword } from "../../access/password.js";
import type { Context } from "../../context/context.js";
import { SessionKind, SignInOutcome, type SecondFactorMethod } from "../../core/enums.js";
import { inTransaction } from "../../db/transaction.js";
import { DroverError } from "../../errors/errors.js";
import * as sessions from "../../store/session.js";
import * as settings from "../../store/setting.js";
import * as users from "../../store/user.js";
import type { UserAccount } from "../../store/user.js";
import { countedTry, recordSignIn, tryPassword, type SignInRefusal, type RefusedTry } from "./checkedPassword.js";
import { methodsOf, refuseGuessing, useOf, wrongCode, type CodeUse } from "./secondFactor.js";

const LONGEST_USERNAME = 254;

interface LoginInput {
  readonly username: string;
  readonly password: string;
  /** A code of the second factor. */
  readonly code?: string | null;
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

/** The session that is opened once a person has proven who they are. */
interface WantedSession {
  readonly remember: boolean;
  readonly kind: SessionKind;
  /** Uses up the code that proved it. */
  readonly use: CodeUse | null;
}

/**
 * Opens a session, by the cookie of the answer where one is wanted.
 * @throws DroverError `unauthenticated` for an unknown user and for a wrong password alike; after the right password for a disabled
 *   account (`ACCOUNT_DISABLED`), a second factor that is due (`SECOND_FACTOR_REQUIRED`, with the methods) and a wrong code
 *   (`WRONG_CODE`). `rateLimited` after five wrong passwords or codes in a minute, and after twenty wrong codes in an hour
 */
export async function login(context: Context, input: LoginInput): Promise<OpenedSession> {
  const { username, password, remember = false } = input;
  // No account has such a name; it is not even worth counting.
  if (username.length > LONGEST_USERNAME || username.includes("\0")) throw wrongPassword();
  const tried = await countedTry(context, username, () => trySignIn(context, input));
  if (tried.refused !== null) throw REFUSALS[tried.refused]();
  const { account, use } = tried;
  const kind = context.sessionCookie?.isWanted === true ? SessionKind.COOKIE : SessionKind.BEARER;
  const wanted = { remember, kind, use };
  const opened =
    (await openSession(context, account, wanted)) ?? (await openAgain(context, { account, password, wanted }));
  if (opened === null) throw wrongPassword();
  await raiseCost(context, account, password);
  return opened;
}

/** A sign-in that may open a session. */
interface ProvenSignIn {
  readonly account: UserAccount;
  readonly refused: null;
  /** Null: the person has no second factor. */
  readonly use: CodeUse | null;
}

type SignInTry = ProvenSignIn | RefusedTry;

/** @throws DroverError as {@link login} for a second factor that is due, or was guessed at too often */
async function trySignIn(context: Context, { username, password, code }: LoginInput): Promise<SignInTry> {
  const tried = await tryPassword(await users.ofName(context.pool, username), password);
  if (tried.refused !== null) return tried;
  const { account } = tried;
  const methods = await methodsOf(context, account.id);
  if (methods.length === 0) return { account, refused: null, use: null };
  if (code == null || code.trim() === "") throw secondFactorRequired(methods);
  await refuseGuessing(context, account);
  const use = await useOf(context, account.id, code);
  return use === null ? { account, refused: SignInOutcome.WRONG_CODE } : { account, refused: null, use };
}

const secondFactorRequired = (methods: readonly SecondFactorMethod[]): DroverError =>
  new DroverError("unauthenticated", "A code of the second factor is needed", {
    reason: "SECOND_FACTOR_REQUIRED",
    methods,
  });

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

const REFUSALS: Readonly<Record<SignInRefusal, () => DroverError>> = {
  [SignInOutcome.WRONG_PASSWORD]: wrongPassword,
  [SignInOutcome.ACCOUNT_DISABLED]: () =>
    new DroverError("unauthenticated", "This account is disabled", { reason: "ACCOUNT_DISABLED" }),
  [SignInOutcome.WRONG_CODE]: wrongCode,
};

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

/**
 * @returns null when the account was deleted, disabled or given another password since it was found
 * @throws DroverError `unauthenticated` when the code was used meanwhile
 */
async function openSession(
  context: Context,
  account: UserAccount,
  { kind, remember, use }: WantedSession,
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
    if (use !== null && !(await use(client))) throw wrongCode();
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
