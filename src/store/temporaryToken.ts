// The ledger of short-lived tokens: each is recorded before it is made on its host, and struck off once it is removed there.
import { sql } from "kysely";
import type { RenewedSecret, SealedSecret, SecretPage } from "./sealedSecret.js";
import { rowOf, rowsOf, tables, written, type Connection } from "./tables.js";

/** A token that is about to be made. */
interface NewToken {
  readonly hostId: number;
  readonly jobId: number;
  readonly name: string;
  /** Access rules that are made with it. */
  readonly grants: readonly object[];
  readonly expiresAt: Date;
}

/** Records a token of the user that the host is connected as. @returns its id and user; null when the host is no longer connected */
export const insert = (
  connection: Connection,
  { hostId, jobId, name, grants, expiresAt }: NewToken,
): Promise<{ readonly id: number; readonly user: string } | null> =>
  rowOf(
    connection,
    tables
      .insertInto("temporary_token")
      .columns(["host_id", "job_id", "user_name", "token_name", "grants", "expires_at"])
      .expression((db) =>
        db
          .selectFrom("host")
          .select([
            "id",
            sql<number>`${jobId}::int`.as("job_id"),
            "user_name",
            sql<string>`${name}::text`.as("token_name"),
            sql`${JSON.stringify(grants)}::jsonb`.as("grants"),
            sql<Date>`${expiresAt}::timestamptz`.as("expires_at"),
          ])
          .where("id", "=", hostId),
      )
      .returning(["id", "user_name as user"]),
  );

/** Stores the encrypted secret of a job's token, until the token is removed. */
export async function setSecret(
  connection: Connection,
  { jobId, name, sealed }: { readonly jobId: number; readonly name: string; readonly sealed: string },
): Promise<void> {
  await written(
    connection,
    tables
      .updateTable("temporary_token")
      .set({ secret_encrypted: sealed })
      .where("job_id", "=", jobId)
      .where("token_name", "=", name),
  );
}

/** A guest that has just been ordered to move shows no task yet. */
const ORDERED = "interval '1 minute'";

/** Condition on a job `j`: its tokens are its own. */
export const IN_USE = `(j.status in ('queued', 'running') or coalesce(j.parked_at > service_now() - ${ORDERED}, false))`;

/**
 * Withdraws a token from its job, if the job no longer uses it: without the secret the job makes another token, under another name.
 * The job's row is locked first, as a parked job may go on at any moment.
 * @returns whether no job will use the token any more
 */
export async function withdraw(connection: Connection, id: number): Promise<boolean> {
  const statement = tables
    .with("held", (db) =>
      db
        .selectFrom(["job as j", "temporary_token as t"])
        .select(sql.raw<boolean>(IN_USE).as("inUse"))
        .where("t.id", "=", id)
        .whereRef("j.id", "=", "t.job_id")
        .forNoKeyUpdate("j"),
    )
    .updateTable("temporary_token")
    .set({ secret_encrypted: null })
    .where("id", "=", id)
    .where("removed_at", "is", null)
    .where((db) => db.not(db.exists(db.selectFrom("held").select("inUse").where("inUse", "=", true))));
  return (await written(connection, statement)) === 1;
}

/** Strikes a token off that its host no longer has. */
export async function markRemoved(connection: Connection, id: number): Promise<void> {
  await written(
    connection,
    tables
      .updateTable("temporary_token")
      .set({ removed_at: sql<Date>`service_now()`, secret_encrypted: null })
      .where("id", "=", id),
  );
}

interface SecretOfToken extends SealedSecret {
  readonly hostId: number;
  readonly user: string;
  readonly name: string;
}

/** Stored secrets by ascending id, for rotation. */
export const sealedSecrets = (connection: Connection, { after, most }: SecretPage): Promise<SecretOfToken[]> =>
  rowsOf(
    connection,
    tables
      .selectFrom("temporary_token")
      .select(["id", "secret_encrypted as sealed", "host_id as hostId", "user_name as user", "token_name as name"])
      .where("id", ">", after)
      .where("secret_encrypted", "is not", null)
      .$narrowType<{ sealed: string }>()
      .orderBy("id")
      .limit(most),
  );

/** Replaces a secret if it is still the one that was read. */
export async function replaceSecret(connection: Connection, { id, before, after }: RenewedSecret): Promise<void> {
  await written(
    connection,
    tables
      .updateTable("temporary_token")
      .set({ secret_encrypted: after })
      .where("id", "=", id)
      .where("secret_encrypted", "=", before),
  );
}
