// Writes how far the undo of a job's step is, fenced by the lease.
import { sql } from "kysely";
import { UndoStatus } from "../../core/enums.js";
import { prepared, rowOf, tables, type Connection } from "../tables.js";
import { held, type Lease } from "./lease.js";

/** The undo of one step. */
export interface UndoNote {
  /** Name of the step; it is on record. */
  readonly step: string;
  readonly status: UndoStatus;
  /** What it left behind, in words for people; set when it failed. */
  readonly error: string | null;
}

const isRunning = sql.lit(UndoStatus.RUNNING);

const WRITE = prepared<Lease & UndoNote, { id: number }>("job-undo", (given) =>
  tables
    .with("held", () => held(given))
    .with("noted", (db) =>
      db
        .updateTable("job_step")
        .from("held")
        .set({
          undo_status: given.status,
          undo_error: given.error,
          undo_started_at: sql<Date>`case when ${given.status}::text = ${isRunning} then service_now() else undo_started_at end`,
          undo_finished_at: sql<Date | null>`case when ${given.status}::text <> ${isRunning} then service_now() end`,
        })
        .whereRef("job_step.job_id", "=", "held.id")
        .where("job_step.name", "=", given.step),
    )
    .selectFrom("held")
    .select("id"),
);

/** Records the undo of a step. @returns whether the lease is held */
export const writeUndo = async (
  connection: Connection,
  { id, leaseEpoch }: Lease,
  { step, status, error }: UndoNote,
): Promise<boolean> => (await rowOf(connection, WRITE({ id, leaseEpoch, step, status, error }))) !== null;
