// SSH keys of users.
import type { EntityManager } from "@mikro-orm/postgresql";
import { SshKey } from "../entities/sshKey.js";

interface NewKey {
  readonly userId: number;
  readonly name: string;
  /** As ssh-keygen prints it. */
  readonly publicKey: string;
  readonly fingerprint: string;
  readonly createdAt: Date;
}

/** @returns the id. @throws UniqueConstraintViolationException for a key that the user has already */
export async function insert(entities: EntityManager, { userId, ...columns }: NewKey): Promise<number> {
  const key = entities.create(SshKey, { ...columns, user: userId });
  await entities.flush();
  return key.id;
}

export async function remove(entities: EntityManager, id: number): Promise<void> {
  await entities.nativeDelete(SshKey, { id });
}
