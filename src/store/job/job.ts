// Writes jobs: makes them, changes their input before they run, and proves that a worker still holds one.
import { rowOf, tables, written, type Connection, type Tables } from "../tables.js";
import type { Insertable } from "kysely";

/** A job as one worker holds it. */
export interface Lease {
  readonly id: number;
  /** Number of the claim. */
  readonly leaseEpoch: number;
}

/** Condition on the row of `job`: job `$1` is held under the lease `$2`. */
export const HELD = `where id = $1 and lease_epoch = $2 and status = 'running'`;

/** The job `$1`, if it is held under the lease `$2`: no other worker claims it until the statement's transaction ends. */
export const HOLD = `select id from job ${HELD} for no key update`;

/** Keeps a job with its worker until the transaction ends. @returns whether the lease is held */
export async function holdJob(connection: Connection, { id, leaseEpoch }: Lease): Promise<boolean> {
  return (await connection.query({ text: HOLD, values: [id, leaseEpoch] })).rowCount === 1;
}

/** @returns its id; the caller commits, then wakes a worker */
export async function insertJob(connection: Connection, job: Insertable<Tables["job"]>): Promise<number> {
  const inserted = await rowOf(connection, tables.insertInto("job").values(job).returning("id"));
  if (inserted === null) throw new Error("An insert of one job returned none");
  return inserted.id;
}

/** Sets what a job that nobody works on yet is to do. */
export async function setJobInput(connection: Connection, id: number, input: unknown): Promise<void> {
  await written(
    connection,
    tables
      .updateTable("job")
      .set({ input: JSON.stringify(input) })
      .where("id", "=", id),
  );
}

/** Sets what jobs that nobody works on yet are to do, in one statement. */
export async function setJobInputs(
  connection: Connection,
  jobs: readonly { readonly id: number; readonly input: unknown }[],
): Promise<void> {
  const text = `update job set input = a.input from jsonb_to_recordset($1::jsonb) as a (id integer, input jsonb) where job.id = a.id`;
  await connection.query({ text, values: [JSON.stringify(jobs)] });
}

/** The attempt before, and the job that continues it. */
interface Continuation {
  readonly from: number;
  readonly to: number;
  /** What the earlier attempt had found, in the current shape. */
  readonly facts: object;
  /** A step that is not repeated even if it ended with a warning. */
  readonly neverRepeated: string;
}

/** What a new attempt finds out by itself. */
const OF_ONE_ATTEMPT = ["failure", "undoing", "waiting", "remadeDrives"];

/** Has a new job continue an earlier one: with its findings, its tasks, and its steps that are done without a warning. */
export async function continueJob(connection: Connection, continuation: Continuation): Promise<void> {
  const { from, to, facts, neverRepeated } = continuation;
  await connection.query({
    text: `update job set facts = $3::jsonb - $4::text[], upids = old.upids from job old where job.id = $2 and old.id = $1`,
    values: [from, to, JSON.stringify(facts), OF_ONE_ATTEMPT],
  });
  await connection.query({
    text: `
      insert into job_step (job_id, name, position, status, output, error, started_at, finished_at)
      select $2, name, position, 'done', output, null, started_at, finished_at from job_step
      where job_id = $1 and (status = 'done' or (status = 'warned' and name = $3))`,
    values: [from, to, neverRepeated],
  });
}
