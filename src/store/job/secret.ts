// Reads and replaces the encrypted secrets of jobs when keys are rotated.
import type { RenewedSecret, SealedSecret, SecretPage } from "../sealedSecret.js";
import { rowsOf, tables, written, type Connection, type Row } from "../tables.js";

interface SecretOfJob extends SealedSecret {
  readonly kind: Row<"job">["kind"];
  readonly hostId: Row<"job">["host_id"];
}

/** Stored secrets of jobs that are not over, by ascending id. */
export const sealedSecrets = (connection: Connection, { after, most }: SecretPage): Promise<SecretOfJob[]> =>
  rowsOf(
    connection,
    tables
      .selectFrom("job")
      .select(["id", "secrets_encrypted as sealed", "kind", "host_id as hostId"])
      .where("id", ">", after)
      .where("secrets_encrypted", "is not", null)
      .$narrowType<{ sealed: string }>()
      .orderBy("id")
      .limit(most),
  );

/** Replaces the secrets of a job if they are still those that were read. */
export async function replaceSecret(connection: Connection, { id, before, after }: RenewedSecret): Promise<void> {
  await written(
    connection,
    tables
      .updateTable("job")
      .set({ secrets_encrypted: after })
      .where("id", "=", id)
      .where("secrets_encrypted", "=", before),
  );
}
