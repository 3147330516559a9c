// Sessions of people who are signed in.
import { sql } from "kysely";
import type { SessionKind, UserRole } from "../core/enums.js";
import { idsOf, usedTable, type Use } from "./lastUse.js";
import { prepared, rowOf, tables, written, type Connection } from "./tables.js";

/** Of one user: a program that signs in for every request ends those that it used longest ago. */
const MOST_SESSIONS = 1_000;

interface NewSession {
  readonly userId: number;
  /** The password that was right a moment ago: no session is opened by one that was changed meanwhile. */
  readonly passwordHash: string;
  readonly tokenHash: string;
  readonly kind: SessionKind;
  readonly now: Date;
  readonly expiresAt: Date;
  readonly sourceIp: string;
  /** Null: the program that signed in does not name itself. */
  readonly userAgent: string | null;
}

/**
 * Opens a session, and deletes those of the same user that have expired or are too many.
 * @returns false when the account was deleted or disabled, or its password changed, since the password was checked
 */
export async function open(connection: Connection, session: NewSession): Promise<boolean> {
  const { userId, passwordHash, tokenHash, kind, now, expiresAt, sourceIp, userAgent } = session;
  // The lock waits for a change of the password that is under way, whose end of all sessions would miss this one.
  const account = tables
    .selectFrom("user_account")
    .select([
      sql<string>`${tokenHash}`.as("token_hash"),
      "id as user_id",
      sql<SessionKind>`${kind}`.as("kind"),
      sql<Date>`${now}::timestamptz`.as("created_at"),
      sql<Date>`${now}::timestamptz`.as("last_used_at"),
      sql<Date>`${expiresAt}::timestamptz`.as("expires_at"),
      sql<string>`${sourceIp}`.as("source_ip"),
      sql<string | null>`${userAgent}::text`.as("user_agent"),
    ])
    .where("id", "=", userId)
    .where("password_hash", "=", passwordHash)
    .where("enabled", "=", true)
    .forShare();
  const tooMany = tables
    .selectFrom("session")
    .select("id")
    .where("user_id", "=", userId)
    .orderBy(sql`coalesce(last_used_at, created_at)`, "desc")
    .orderBy("id", "desc")
    .offset(MOST_SESSIONS - 1);
  const insertion = tables
    .with("over", (db) =>
      db
        .deleteFrom("session")
        .where("user_id", "=", userId)
        .where((row) => row.or([row("expires_at", "<", now), row("id", "in", tooMany)])),
    )
    .insertInto("session")
    .columns(["token_hash", "user_id", "kind", "created_at", "last_used_at", "expires_at", "source_ip", "user_agent"])
    .expression(account);
  return (await written(connection, insertion)) === 1;
}

/** A session with its user. */
export interface OpenSession {
  readonly id: number;
  readonly userId: number;
  readonly username: string;
  readonly role: UserRole;
  /** Whether the role needs a second factor, and the user has none. */
  readonly mustSetUp: boolean;
  readonly expiresAt: Date;
}

const MUST_SET_UP = sql<boolean>`(u.role = any ((select second_factor_roles from setting)::text[])
  and not exists (select from totp t where t.user_id = u.id and t.last_step is not null))`;

const OF_HASH = prepared<Pick<NewSession, "tokenHash">, OpenSession>("access session", ({ tokenHash }) =>
  tables
    .selectFrom("session as s")
    .innerJoin("user_account as u", "u.id", "s.user_id")
    .select(["s.id", "u.id as userId", "u.username", "u.role", MUST_SET_UP.as("mustSetUp")])
    .select(sql<Date>`session_end(s)`.as("expiresAt"))
    .where("s.token_hash", "=", tokenHash)
    .where("u.enabled", "=", sql.lit(true)),
);

/** A session that may have expired. @returns null when there is none, or its user is disabled */
export const ofHash = (connection: Connection, tokenHash: string): Promise<OpenSession | null> =>
  rowOf(connection, OF_HASH({ tokenHash }));

/** Whose session it is. @returns null when there is none */
export const ownerOf = async (connection: Connection, id: number): Promise<number | null> =>
  (await rowOf(connection, tables.selectFrom("session").select("user_id as userId").where("id", "=", id)))?.userId ??
  null;

/** Ends a session. @returns false when it had ended */
export const close = async (connection: Connection, id: number): Promise<boolean> =>
  (await written(connection, tables.deleteFrom("session").where("id", "=", id))) === 1;

/** Ends the sessions of a user. @param exceptId null: all of them @returns how many */
export async function closeAll(connection: Connection, userId: number, exceptId: number | null): Promise<number> {
  const all = tables.deleteFrom("session").where("user_id", "=", userId);
  return written(connection, exceptId === null ? all : all.where("id", "<>", exceptId));
}

/** Ends the sessions of everybody. @returns how many */
export const closeEveryones = (connection: Connection): Promise<number> =>
  written(connection, tables.deleteFrom("session"));

/** Deletes the sessions that have ended: at their time, or for want of use. */
export async function deleteExpired(connection: Connection, now: Date): Promise<void> {
  const lastUse = sql<Date>`coalesce(last_used_at, created_at)`;
  const idleSince = sql<Date>`${now}::timestamptz - (select session_idle_minutes from setting) * interval '1 minute'`;
  const deletion = tables
    .deleteFrom("session")
    // Those that may have ended are found by indexes.
    .where((row) => row.or([row("expires_at", "<", now), row(lastUse, "<", idleSince)]))
    .where(sql<Date>`session_end(session)`, "<", now);
  await written(connection, deletion);
}

/** Records uses, but of sessions that another statement has locked: that may wait for others of these. Later uses stay. */
export async function recordUses(connection: Connection, uses: readonly Use[]): Promise<void> {
  const free = tables.selectFrom("session").select("id").where("id", "in", idsOf(uses)).forUpdate().skipLocked();
  const update = tables
    .with("free", () => free)
    .updateTable("session as s")
    .from(usedTable(uses))
    .set((row) => ({ last_used_at: row.ref("used.at"), source_ip: row.ref("used.sourceIp") }))
    .whereRef("s.id", "=", "used.id")
    .where("s.id", "in", sql<number>`(select id from free)`)
    .where(sql<boolean>`(s.last_used_at is null or s.last_used_at < used.at)`);
  await written(connection, update);
}
