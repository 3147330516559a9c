// Writes down what a job has done: its steps, findings and end. Every write carries the lease's number, so that a stalled worker writes nothing.
import type { Pool, PoolClient } from "pg";
import { inTransaction } from "../src/db/transaction.js";
import { Fenced, type ClaimedJob, type JobFacts } from "./step.js";

/** Names of the steps that are done, with warnings or without. */
export async function stepsDone(pool: Pool, job: ClaimedJob): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ name: string }>(
    `select name from job_step where job_id = $1 and status in ('done', 'warned')`,
    [job.id],
  );
  return new Set(rows.map(({ name }) => name));
}

/** Notes that a step begins, and how far the whole job is. @throws Fenced */
export async function beginStep(
  pool: Pool,
  job: ClaimedJob,
  step: { name: string; position: number; progress: number },
): Promise<void> {
  await fenced(
    pool,
    job,
    `with held as (
       update job set step = $3, progress = $4 where id = $1 and lease_epoch = $2 and status = 'running' returning id
     )
     insert into job_step (job_id, name, position, status) select id, $3, $5, 'running' from held
     on conflict (job_id, name) do update set status = 'running', error = null, started_at = now(), finished_at = null`,
    [step.name, step.progress, step.position],
  );
}

/** Notes that a step is done, with what it found; one transaction. @throws Fenced */
export async function endStep(
  pool: Pool,
  job: ClaimedJob,
  step: { name: string; findings: Partial<JobFacts>; progress: number },
): Promise<void> {
  await fenced(
    pool,
    job,
    `with held as (
       update job set facts = facts || $4::jsonb, progress = $5
       where id = $1 and lease_epoch = $2 and status = 'running' returning id
     )
     update job_step set status = 'done', output = $4::jsonb, finished_at = now()
     from held where job_id = held.id and name = $3`,
    [step.name, JSON.stringify(step.findings), step.progress],
  );
}

/** Notes that the running step failed, and so will the job. @throws Fenced */
export async function failStep(pool: Pool, job: ClaimedJob, failure: string): Promise<void> {
  await fenced(
    pool,
    job,
    `with held as (
       update job set facts = facts || jsonb_build_object('failure', $3::text)
       where id = $1 and lease_epoch = $2 and status = 'running' returning id
     )
     update job_step set status = 'failed', error = $3, finished_at = now()
     from held where job_id = held.id and job_step.status = 'running'`,
    [failure],
  );
}

/** Notes that a step failed without failing the job. @throws Fenced */
export async function warnStep(pool: Pool, job: ClaimedJob, step: { name: string; warning: string }): Promise<void> {
  await fenced(
    pool,
    job,
    `with held as (select id from job where id = $1 and lease_epoch = $2 and status = 'running' for update)
     update job_step set status = 'warned', error = $4, finished_at = now() from held where job_id = held.id and name = $3`,
    [step.name, step.warning],
  );
}

/** Stores findings in the middle of a step. @throws Fenced */
export async function storeFindings(pool: Pool, job: ClaimedJob, findings: Partial<JobFacts>): Promise<void> {
  await fenced(
    pool,
    job,
    `update job set facts = facts || $3::jsonb where id = $1 and lease_epoch = $2 and status = 'running'`,
    [JSON.stringify(findings)],
  );
}

/** Stores a platform task's id, in the facts and in the list that clients see. @throws Fenced */
export async function storeTask(pool: Pool, job: ClaimedJob, task: { effect: string; upid: string }): Promise<void> {
  await fenced(
    pool,
    job,
    `update job set
       facts = jsonb_set(facts, '{tasks}', coalesce(facts->'tasks', '{}') || jsonb_build_object($3::text, $4::text)),
       upids = array_append(array_remove(upids, $4::text), $4::text)
     where id = $1 and lease_epoch = $2 and status = 'running'`,
    [task.effect, task.upid],
  );
}

/** Stores how far the job is, 0..1. @throws Fenced */
export async function storeProgress(pool: Pool, job: ClaimedJob, progress: number): Promise<void> {
  await fenced(pool, job, `update job set progress = $3 where id = $1 and lease_epoch = $2 and status = 'running'`, [
    progress,
  ]);
}

/**
 * Ends the job and gives back all that it held: locks, the VMID, its secrets, and the addresses that no guest got. Room that
 * a new guest took stays promised until the next sync has seen it in use.
 * One statement: a crash leaves either all of it or nothing. @throws Fenced
 */
export async function endJob(pool: Pool, job: ClaimedJob, error: string | null): Promise<void> {
  await fenced(
    pool,
    job,
    `with ended as (
       update job set status = case when $3::text is null then 'done' else 'failed' end, error = $3,
         progress = case when $3::text is null then 1 else progress end,
         secrets_encrypted = null, lease_until = null, worker = null, finished_at = now()
       where id = $1 and lease_epoch = $2 and status = 'running' returning id
     ),
     unlocked as (delete from resource_lock l using ended where l.job_id = ended.id),
     freed as (delete from vmid_reservation r using ended where r.job_id = ended.id),
     room as (delete from capacity_reservation c using ended where c.job_id = ended.id and $3::text is not null),
     kept as (update ip_address a set job_id = null from ended where a.job_id = ended.id and a.guest_id is not null),
     returned as (delete from ip_address a using ended where a.job_id = ended.id and a.guest_id is null)
     select id from ended`,
    [error],
  );
}

/** Does `work` in one transaction, if the lease is still held. @throws Fenced */
export function inFencedTransaction<Result>(
  pool: Pool,
  job: ClaimedJob,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  return inTransaction(pool, async (client) => {
    const { rowCount } = await client.query(
      `select 1 from job where id = $1 and lease_epoch = $2 and status = 'running' for no key update`,
      [job.id, job.leaseEpoch],
    );
    if (rowCount === 0) throw lost(job);
    return work(client);
  });
}

async function fenced(pool: Pool, job: ClaimedJob, text: string, values: readonly unknown[]): Promise<void> {
  const { rowCount } = await pool.query(text, [job.id, job.leaseEpoch, ...values]);
  if (rowCount === 0) throw lost(job);
}

const lost = ({ id, leaseEpoch }: ClaimedJob): Fenced =>
  new Fenced(`job ${id} is no longer held under lease ${leaseEpoch}`);
