// Sessions of people who are signed in.
import type { UserRole } from "../core/enums.js";
import { prepared, rowOf, tables, written, type Connection } from "./tables.js";

interface NewSession {
  readonly userId: number;
  readonly tokenHash: string;
  readonly now: Date;
  readonly expiresAt: Date;
}

/** Opens a session, and deletes those of the same user that have expired. */
export async function open(connection: Connection, { userId, tokenHash, now, expiresAt }: NewSession): Promise<void> {
  await written(
    connection,
    tables
      .with("expired", (db) => db.deleteFrom("session").where("user_id", "=", userId).where("expires_at", "<", now))
      .insertInto("session")
      .values({ token_hash: tokenHash, user_id: userId, expires_at: expiresAt }),
  );
}

/** A session with its user. */
export interface OpenSession {
  readonly id: number;
  readonly username: string;
  readonly role: UserRole;
  readonly expiresAt: Date;
}

const OF_HASH = prepared<Pick<NewSession, "tokenHash">, OpenSession>("access session", ({ tokenHash }) =>
  tables
    .selectFrom("session as s")
    .innerJoin("user_account as u", "u.id", "s.user_id")
    .select(["u.id", "u.username", "u.role", "s.expires_at as expiresAt"])
    .where("s.token_hash", "=", tokenHash),
);

/** A session that may have expired. @returns null when there is none */
export const ofHash = (connection: Connection, tokenHash: string): Promise<OpenSession | null> =>
  rowOf(connection, OF_HASH({ tokenHash }));

export async function close(connection: Connection, tokenHash: string): Promise<void> {
  await written(connection, tables.deleteFrom("session").where("token_hash", "=", tokenHash));
}

export async function deleteExpired(connection: Connection, now: Date): Promise<void> {
  await written(connection, tables.deleteFrom("session").where("expires_at", "<", now));
}
