// SSH keys of users.
import { insertedId, rowOf, tables, written, type Connection } from "./tables.js";

interface NewKey {
  readonly userId: number;
  readonly name: string;
  /** As ssh-keygen prints it. */
  readonly publicKey: string;
  readonly fingerprint: string;
  readonly createdAt: Date;
}

/** @returns the id. @throws the driver's unique violation for a key that the user has already */
export function insert(
  connection: Connection,
  { userId, name, publicKey, fingerprint, createdAt }: NewKey,
): Promise<number> {
  const row = { user_id: userId, name, public_key: publicKey, fingerprint, created_at: createdAt };
  return insertedId(connection, tables.insertInto("ssh_key").values(row).returning("id"));
}

/** The user whose key it is. @returns null when there is no such key */
export async function ownerOf(connection: Connection, id: number): Promise<number | null> {
  const key = tables.selectFrom("ssh_key").select("user_id as userId").where("id", "=", id);
  return (await rowOf(connection, key))?.userId ?? null;
}

export async function remove(connection: Connection, id: number): Promise<void> {
  await written(connection, tables.deleteFrom("ssh_key").where("id", "=", id));
}
