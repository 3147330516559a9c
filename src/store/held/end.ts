// Ends jobs, and releases in the same statement what they held.
import { sql } from "kysely";
import * as jobs from "../job/journal.js";
import type { Lease } from "../job/lease.js";
import { giveUp } from "../job/parked.js";
import * as migrations from "../migration.js";
import { prepared, rowOf, tables, written, type Connection } from "../tables.js";
import { withReleases } from "./release.js";

const END = prepared<jobs.EntryValues & jobs.JobOutcome, { id: number }>("job-end", (given) =>
  withReleases(
    tables.with("held", () => jobs.endOfHeld(given)).with("noted", () => jobs.stepsOfHeld(given.steps)),
    sql<boolean>`${given.error}::text is not null`,
  )
    .selectFrom("held")
    .select("id"),
);

/**
 * Ends a job, and releases what it held: locks, the VMID, its secrets, and the addresses that no guest got. Capacity that a new
 * guest uses stays reserved until the next sync has seen it in use.
 * @returns whether the lease was held
 */
export const endJob = async (
  connection: Connection,
  lease: Lease,
  { error, ...entry }: jobs.JournalEntry & jobs.JobOutcome,
): Promise<boolean> => (await rowOf(connection, END({ ...jobs.entryValues(lease, entry), error }))) !== null;

/** Releases all that a parked job holds; it stays failed, for this reason too. */
export async function giveUpJob(connection: Connection, id: number, reason: string): Promise<void> {
  const parts = withReleases(tables.with("held", () => giveUp(id, reason)));
  await written(
    connection,
    parts
      .with("refused", () => migrations.refusalOfHeld(reason))
      .selectFrom("held")
      .select("id"),
  );
}
