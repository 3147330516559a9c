// Second factors of people: keys of one-time codes, each code of which counts once, and recovery codes, each of which counts once.
import type { RenewedSecret, SealedSecret, SecretPage } from "./sealedSecret.js";
import { rowOf, rowsOf, tables, written, type Connection } from "./tables.js";

/** A key of one-time codes. */
interface StoredKey {
  readonly id: number;
  readonly sealed: string;
}

/** A key that a code has confirmed. */
interface ConfirmedKey extends StoredKey {
  /** The newest 30 seconds whose code was used. */
  readonly lastStep: number;
}

const keys = (userId: number) =>
  tables.selectFrom("totp").select(["id", "secret_encrypted as sealed"]).where("user_id", "=", userId);

/** The key that an account's codes are made with. @returns null: it has none */
export const confirmedKey = (connection: Connection, userId: number): Promise<ConfirmedKey | null> =>
  rowOf(
    connection,
    keys(userId).select("last_step as lastStep").where("last_step", "is not", null).$narrowType<{ lastStep: number }>(),
  );

/** The key that was begun last and is not confirmed. @returns null: there is none */
export const begunKey = (connection: Connection, userId: number): Promise<StoredKey | null> =>
  rowOf(connection, keys(userId).where("last_step", "is", null));

/** Keeps a key until a code confirms it; an earlier one that none did is replaced. @returns false when the account is gone */
export async function begin(connection: Connection, userId: number, sealed: string): Promise<boolean> {
  const insertion = tables
    .insertInto("totp")
    .columns(["user_id", "secret_encrypted"])
    .expression((db) =>
      db
        .selectFrom("user_account")
        .select(["id", (row) => row.val(sealed).as("sealed")])
        .where("id", "=", userId),
    )
    .onConflict((conflict) =>
      conflict.column("user_id").where("last_step", "is", null).doUpdateSet({ secret_encrypted: sealed }),
    );
  return (await written(connection, insertion)) === 1;
}

/** The code that confirms a key. */
interface Confirmation {
  readonly userId: number;
  /** As it was begun. */
  readonly begun: StoredKey;
  readonly step: number;
}

/** Makes a begun key the account's, in place of the one that it had. @returns false when another was begun, or it was confirmed, meanwhile */
export async function confirm(connection: Connection, { userId, begun, step }: Confirmation): Promise<boolean> {
  await written(connection, tables.deleteFrom("totp").where("user_id", "=", userId).where("last_step", "is not", null));
  const update = tables
    .updateTable("totp")
    .set({ last_step: step })
    .where("id", "=", begun.id)
    .where("secret_encrypted", "=", begun.sealed)
    .where("last_step", "is", null);
  return (await written(connection, update)) === 1;
}

/** Uses a code up. @returns false when it, or a later one, was used before, or the key is another by now */
export async function useStep(connection: Connection, keyId: number, step: number): Promise<boolean> {
  const update = tables
    .updateTable("totp")
    .set({ last_step: step })
    .where("id", "=", keyId)
    .where("last_step", "<", step);
  return (await written(connection, update)) === 1;
}

const recoveryCodes = (userId: number) =>
  tables.selectFrom("recovery_code").select("code_hash").where("user_id", "=", userId);

/** Whether the account has recovery codes left. */
export const hasRecoveryCodes = async (connection: Connection, userId: number): Promise<boolean> =>
  (await rowOf(connection, recoveryCodes(userId).limit(1))) !== null;

/** Whether it is a recovery code of the account that was not used. */
export const hasRecoveryCode = async (connection: Connection, userId: number, codeHash: string): Promise<boolean> =>
  (await rowOf(connection, recoveryCodes(userId).where("code_hash", "=", codeHash))) !== null;

/** Uses a recovery code up. @returns false when the account has none like it */
export async function useRecoveryCode(connection: Connection, userId: number, codeHash: string): Promise<boolean> {
  const deletion = tables.deleteFrom("recovery_code").where("user_id", "=", userId).where("code_hash", "=", codeHash);
  return (await written(connection, deletion)) === 1;
}

/** Gives an account these recovery codes, and no earlier ones. */
export async function replaceRecoveryCodes(
  connection: Connection,
  userId: number,
  hashes: readonly string[],
): Promise<void> {
  await written(connection, tables.deleteFrom("recovery_code").where("user_id", "=", userId));
  await written(
    connection,
    tables.insertInto("recovery_code").values(hashes.map((code_hash) => ({ user_id: userId, code_hash }))),
  );
}

/** Removes the one-time codes and the recovery codes of an account. @returns false when it had none */
export async function removeAll(connection: Connection, userId: number): Promise<boolean> {
  await written(connection, tables.deleteFrom("recovery_code").where("user_id", "=", userId));
  return (await written(connection, tables.deleteFrom("totp").where("user_id", "=", userId))) > 0;
}

/** A key with what it is bound to. */
interface SecretOfPerson extends SealedSecret {
  readonly userId: number;
}

/** Encrypted keys, by ascending id. */
export const sealedSecrets = (connection: Connection, { after, most }: SecretPage): Promise<SecretOfPerson[]> =>
  rowsOf(
    connection,
    tables
      .selectFrom("totp")
      .select(["id", "secret_encrypted as sealed", "user_id as userId"])
      .where("id", ">", after)
      .orderBy("id")
      .limit(most),
  );

/** Replaces an encrypted key if it is still the one that was read. */
export async function replaceSecret(connection: Connection, { id, before, after }: RenewedSecret): Promise<void> {
  const update = tables
    .updateTable("totp")
    .set({ secret_encrypted: after })
    .where("id", "=", id)
    .where("secret_encrypted", "=", before);
  await written(connection, update);
}
