// Sessions of people who are signed in.
import { tables, written, type Connection } from "./tables.js";

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

export async function close(connection: Connection, tokenHash: string): Promise<void> {
  await written(connection, tables.deleteFrom("session").where("token_hash", "=", tokenHash));
}

export async function deleteExpired(connection: Connection, now: Date): Promise<void> {
  await written(connection, tables.deleteFrom("session").where("expires_at", "<", now));
}
