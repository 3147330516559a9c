// The ledger of short-lived tokens: each is recorded before it is made on its host, and struck off once it is removed there.
import { sql } from "kysely";
import { jsonBuildObject } from "kysely/helpers/postgres";
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
const IN_USE = `(j.status in ('queued', 'running') or coalesce(j.parked_at > service_now() - ${ORDERED}, false))`;

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

/** From the record of a token to the moment after which its host does not begin to make it: a proof of the lease, then a late start. */
const LATE = sql`interval '1 minute'`;

/** A token that is to be removed from its host. */
export interface LedgerRow {
  readonly id: number;
  readonly hostId: number;
  readonly user: string;
  readonly name: string;
  /** As the ledger has them. */
  readonly grants: unknown;
  /** Whether the request for it can no longer be on its way to the host. */
  readonly isSettled: boolean;
}

const LEDGER = ["t.id", "t.host_id as hostId", "t.user_name as user", "t.token_name as name", "t.grants"] as const;

const IS_SETTLED = sql<boolean>`(t.secret_encrypted is not null or t.created_at < service_now() - ${LATE})`;

/** Tokens of one job that are not removed yet, by ascending id. */
export const ofJob = (connection: Connection, jobId: number): Promise<LedgerRow[]> =>
  rowsOf(
    connection,
    tables
      .selectFrom("temporary_token as t")
      .select([...LEDGER, IS_SETTLED.as("isSettled")])
      .where("t.removed_at", "is", null)
      .where("t.job_id", "=", jobId)
      .orderBy("t.id"),
  );

/** A guest on one of the two hosts of its move. */
export interface MoveSide {
  readonly hostId: number;
  readonly node: string;
  readonly vmid: number;
}

/** Both ends of a move. */
export interface MoveSides {
  readonly source: MoveSide;
  readonly target: MoveSide;
}

/** What an ended job has left. */
export interface LeftOver extends LedgerRow {
  /** Where the transfer may be at work that the token is for; null: it is for none, or for one that outlived it. */
  readonly ends: MoveSides | null;
}

/**
 * Tokens of jobs that have ended, or that are no longer on record, by ascending id. Which of many is left to chance: those that
 * stay keep no other from its turn.
 * @param mostOfHost at most so many of one host
 */
export const leftOver = (connection: Connection, mostOfHost: number): Promise<LeftOver[]> =>
  rowsOf(
    connection,
    tables
      .selectFrom((db) =>
        db
          .selectFrom("temporary_token as l")
          .selectAll()
          .select(sql<string>`row_number() over (partition by l.host_id order by random())`.as("turn"))
          .where("l.removed_at", "is", null)
          .where(sql<boolean>`not exists (select 1 from job j where j.id = l.job_id and ${sql.raw(IN_USE)})`)
          .as("t"),
      )
      .select([...LEDGER, IS_SETTLED.as("isSettled")])
      .select((row) =>
        row
          .selectFrom("migration as m")
          .select((of) =>
            jsonBuildObject({
              source: jsonBuildObject({
                hostId: of.ref("m.source_host_id"),
                node: of.ref("m.source_node"),
                vmid: of.ref("m.vmid"),
              }),
              target: jsonBuildObject({
                hostId: of.ref("m.target_host_id"),
                node: of.ref("m.target_node"),
                vmid: of.ref("m.target_vmid"),
              }),
            }).as("ends"),
          )
          .whereRef("m.job_id", "=", "t.job_id")
          .where("t.expires_at", ">", sql<Date>`now()`)
          .as("ends"),
      )
      .where(sql<boolean>`t.turn <= ${mostOfHost}`)
      .orderBy("t.id"),
  );

/** The names that the tokens of a job have among the users of their hosts, also of those that are removed. */
export async function usersOfJob(connection: Connection, jobId: number): Promise<ReadonlySet<string>> {
  const tokens = tables
    .selectFrom("temporary_token")
    .select(sql<string>`user_name || '!' || token_name`.as("name"))
    .where("job_id", "=", jobId);
  return new Set((await rowsOf(connection, tokens)).map(({ name }) => name));
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

/** The latest token of a job that has a secret and is not removed. @returns null when there is none */
export const secretOfJob = (connection: Connection, jobId: number): Promise<Omit<SecretOfToken, "id"> | null> =>
  rowOf(
    connection,
    tables
      .selectFrom("temporary_token")
      .select(["host_id as hostId", "user_name as user", "token_name as name", "secret_encrypted as sealed"])
      .where("job_id", "=", jobId)
      .where("removed_at", "is", null)
      .where("secret_encrypted", "is not", null)
      .$narrowType<{ sealed: string }>()
      .orderBy("id", "desc")
      .limit(1),
  );

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
