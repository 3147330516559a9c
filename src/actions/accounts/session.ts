// Signs people in.
import { networkOf } from "../../access/admission/caller.js";
import { newBearerToken } from "../../access/bearerToken.js";
import { noteKnownAddress } from "../../access/knownAddresses.js";
import { hashPassword, isHashedAsNow } from "../../access/password.js";
import type { Context } from "../../context/context.js";
import { SessionKind, SignInOutcome } from "../../core/enums.js";
import { inTransaction } from "../../db/transaction.js";
import { DroverError } from "../../errors/errors.js";
import * as sessions from "../../store/session.js";
import * as users from "../../store/user.js";
import type { UserAccount } from "../../store/user.js";
import { accountOf, recordSignIn } from "./ownPassword.js";

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
  const account = await accountOf(context, { username, password }, () => users.ofName(context.pool, username));
  if (account === null) throw wrongPassword();
  if (!account.enabled) {
    await recordSignIn(context, context.pool, account, SignInOutcome.ACCOUNT_DISABLED);
    throw new DroverError("unauthenticated", "This account is disabled", { reason: "ACCOUNT_DISABLED" });
  }
  const passwordHash = await passwordHashAsNow(context, account, password);
  return openSession(context, { ...account, passwordHash });
}

const wrongPassword = (): DroverError => new DroverError("unauthenticated", "The username or the password is wrong");

/** A password that was hashed at a lower cost is hashed again now that it is known. @returns its hash */
async function passwordHashAsNow({ pool }: Context, account: UserAccount, password: string): Promise<string> {
  const { id, passwordHash: was } = account;
  if (isHashedAsNow(was)) return was;
  const passwordHash = await hashPassword(password);
  await users.setPassword(pool, { id, was, passwordHash });
  return passwordHash;
}

async function openSession(context: Context, account: UserAccount): Promise<OpenedSession> {
  const now = context.clock.now();
  const { value, hash } = newBearerToken("session");
  const expiresAt = new Date(now.getTime() + SESSION_HOURS * 3_600_000);
  const { sourceIp, userAgent = null } = context;
  const { id: userId, username, passwordHash } = account;
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
  await inTransaction(context.pool, async (client) => {
    // The account was deleted, disabled or given another password in this moment.
    if (!(await sessions.open(client, session))) throw wrongPassword();
    await recordSignIn(context, client, account, SignInOutcome.SIGNED_IN);
  });
  await noteKnownAddress(context, { username, network: networkOf(sourceIp) });
  return { token: value, expiresAt, userId };
}
