// Sessions of people who are signed in.
import type { EntityManager } from "@mikro-orm/postgresql";
import { Session } from "../entities/session.js";
import { tables, written, type Connection } from "./tables.js";

interface NewSession {
  readonly userId: number;
  readonly tokenHash: string;
  readonly now: Date;
  readonly expiresAt: Date;
}

/** Opens a session, and deletes those of the same user that have expired. */
export async function open(entities: EntityManager, { userId, tokenHash, now, expiresAt }: NewSession): Promise<void> {
  await entities.nativeDelete(Session, { user: userId, expiresAt: { $lt: now } });
  entities.create(Session, { tokenHash, user: userId, expiresAt });
  await entities.flush();
}

export async function close(entities: EntityManager, tokenHash: string): Promise<void> {
  await entities.nativeDelete(Session, { tokenHash });
}

export async function deleteExpired(connection: Connection, now: Date): Promise<void> {
  await written(connection, tables.deleteFrom("session").where("expires_at", "<", now));
}
