// Writes jobs whose stored JSON is of another version: brings it forward, parks what cannot be read, and queues or ends what was parked.
import { sql } from "kysely";
import { JobStatus, MigrationStep } from "../../core/enums.js";
import { rowOf, tables, written, type Connection, type Row } from "../tables.js";
import { updateOfHeld, type Lease } from "./lease.js";

/** A job with what it has stored, as it was stored. */
export interface LockedJob extends Pick<Row<"job">, "kind" | "version" | "input" | "facts"> {
  readonly guestId: number | null;
  /** Names of the steps that are done, with or without warnings. */
  readonly stepsDone: readonly string[];
  readonly parked: boolean;
  /** Hosts that it works on. */
  readonly hostIds: readonly number[];
}

/** Locks a job until the transaction ends, parked or not. @returns null when there is none */
export const lockJob = (connection: Connection, id: number): Promise<LockedJob | null> =>
  rowOf(
    connection,
    tables
      .selectFrom("job as j")
      .select(["j.kind", "j.version", "j.input", "j.facts", "j.guest_id as guestId"])
      .select([
        sql<string[]>`array(select name from job_step where job_id = j.id and status in ('done', 'warned'))`.as(
          "stepsDone",
        ),
        sql<boolean>`j.parked_at is not null`.as("parked"),
        sql<number[]>`array_remove(
          array[j.host_id] || array(select m.target_host_id from migration m where m.job_id = j.id), null)`.as(
          "hostIds",
        ),
      ])
      .where("j.id", "=", id)
      .forNoKeyUpdate(),
  );

/** What a job has stored, in the shape of one version. */
export interface StoredContent {
  readonly input: unknown;
  readonly facts: unknown;
  readonly version: number;
}

/**
 * Stores the content of a claimed job in another version: an earlier one no longer claims it.
 * @returns whether the lease is held
 */
export async function bringForward(connection: Connection, lease: Lease, content: StoredContent): Promise<boolean> {
  const { input, facts, version } = content;
  const columns = { input: JSON.stringify(input), facts: JSON.stringify(facts), version };
  return (await written(connection, updateOfHeld(lease).set(columns))) === 1;
}

/**
 * Ends a claimed job that keeps all that it holds: what it was doing may go on at its hosts, and a later attempt needs it.
 * @returns whether the lease is held
 */
export async function parkJob(connection: Connection, lease: Lease, error: string): Promise<boolean> {
  const parking = updateOfHeld(lease).set({
    status: JobStatus.FAILED,
    error,
    parked_at: sql<Date>`service_now()`,
    finished_at: sql<Date>`service_now()`,
    lease_until: null,
    worker: null,
  });
  return (await written(connection, parking)) === 1;
}

/**
 * Queues a parked job; the caller commits, then wakes a worker. The sweep may have removed the temporary token of a move: its step
 * is repeated, unless the transfer was begun. A job that had failed already goes on with its rollback, that of this step too.
 */
export async function unparkJob(connection: Connection, id: number): Promise<void> {
  await written(
    connection,
    tables
      .with("queued", (db) =>
        db
          .updateTable("job")
          .set({ status: JobStatus.QUEUED, parked_at: null, error: null, finished_at: null })
          .where("id", "=", id)
          .returning(["id", sql<boolean>`facts -> 'failure' is not null`.as("hasFailed")]),
      )
      .deleteFrom("job_step as s")
      .using("queued")
      .whereRef("s.job_id", "=", "queued.id")
      .where("queued.hasFailed", "=", false)
      .where("s.name", "=", MigrationStep.TARGET_TOKEN),
  );
}

/** Part of a statement: a parked job stays failed for good, for this reason too. @returns the job */
export const giveUp = (id: number, reason: string) =>
  tables
    .updateTable("job")
    .set({ parked_at: null, secrets_encrypted: null, error: sql<string>`error || '; ' || ${reason}::text` })
    .where("id", "=", id)
    .returning("id");
