// Turns of jobs that clone a template: so many of them at a time as the setting says, the others in the order of their ids.
import { sql } from "kysely";
import type { Lease } from "./job/job.js";
import { tables, written, type Connection } from "./tables.js";

/** A template on its host. */
interface Template {
  readonly hostId: number;
  readonly vmid: number;
}

const QUEUE = `
  insert into clone_turn (job_id, host_id, vmid)
  select id, $3, $4 from job where id = $1 and lease_epoch = $2 and status = 'running'
  on conflict (job_id) do update set host_id = excluded.host_id, vmid = excluded.vmid`;

/** A job that ended, or is queued again, is ahead of nobody. */
const BEGIN = `
  update clone_turn mine set has_begun = true
  where mine.job_id = $1 and (mine.has_begun or (select clones_per_template from setting) > (
    select count(*) from clone_turn other join job on job.id = other.job_id and job.status = 'running'
    where other.host_id = mine.host_id and other.vmid = mine.vmid and other.job_id <> mine.job_id
      and (other.has_begun or other.job_id < mine.job_id)))`;

/** What came of a job's wish to clone. */
export type Turn = "begun" | "waiting" | "lost";

/**
 * Takes a job's turn to clone a template, or its place among those that wait; one that has its turn keeps it. The caller is in a
 * transaction.
 * @returns `lost` when the lease is: nothing is written
 */
export async function take(connection: Connection, { id, leaseEpoch }: Lease, template: Template): Promise<Turn> {
  const { hostId, vmid } = template;
  await connection.query({ text: `select pg_advisory_xact_lock(hashtext('clones'), $1)`, values: [hostId] });
  const queued = await connection.query({ text: QUEUE, values: [id, leaseEpoch, hostId, vmid] });
  if (queued.rowCount === 0) return "lost";
  const begun = await connection.query({ text: BEGIN, values: [id] });
  return begun.rowCount === 1 ? "begun" : "waiting";
}

/** Ends a job's turn, or its waiting. */
export async function end(connection: Connection, jobId: number): Promise<void> {
  await written(connection, tables.deleteFrom("clone_turn").where("job_id", "=", jobId));
}

/** Part of a statement with a part `held`, jobs: their turns. */
export const deletionOfHeld = tables
  .withTables<{ held: { id: number } }>()
  .deleteFrom("clone_turn as t")
  .using("held")
  .whereRef("t.job_id", "=", "held.id")
  .returning(sql<number>`t.job_id`.as("id"));
