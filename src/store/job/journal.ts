// Writes the journal of jobs: steps, findings, platform tasks, waits and the end. Each write is one statement, fenced by the lease:
// a worker that lost its lease writes nothing.
import { HELD, type Lease } from "./job.js";
import { releaseHeldSql } from "../held/release.js";
import type { Connection, Row } from "../tables.js";

/** The state of one step. */
export type StepStatus = Row<"job_step">["status"];

/** What is recorded of a job in one statement. */
export interface JournalEntry {
  /** Steps that began or ended. */
  readonly steps: readonly {
    readonly name: string;
    readonly position: number;
    readonly status: StepStatus;
    readonly output?: object;
    readonly error?: string;
  }[];
  /** Added to the facts. */
  readonly facts: object;
  /** How far the whole job is, 0..1; null: as it was. */
  readonly progress: number | null;
}

export interface AtStep {
  /** The step that the job is at; null: as it was. */
  readonly step: string | null;
}

export interface Outcome {
  /** Why the job failed; null: it is done. */
  readonly error: string | null;
}

/** What a job waits for, as it is recorded. */
export interface Waiting {
  /** The host that does not answer; null: something else. */
  readonly hostId: number | null;
  readonly reason: string;
  readonly sinceMsAgo: number;
  readonly againInMs: number;
}

/** The steps in `$3`, as an insert that takes the job from `held`. */
const STEPS = `
  insert into job_step (job_id, name, position, status, output, error, finished_at)
  select held.id, s.name, s.position, s.status, coalesce(s.output, '{}'), s.error,
    case when s.status <> 'running' then service_now() end
  from held, jsonb_to_recordset($3::jsonb) as s (name text, position integer, status text, output jsonb, error text)
  on conflict (job_id, name) do update set status = excluded.status, output = excluded.output, error = excluded.error,
    started_at = case when excluded.status = 'running' then service_now() else job_step.started_at end,
    finished_at = excluded.finished_at`;

const WRITE = `
  with held as (
    update job set facts = facts || $4::jsonb, step = coalesce($5, step), progress = coalesce($6, progress) ${HELD} returning id
  ), noted as (${STEPS})
  select id from held`;

const WRITE_TASK = `
  update job set
    facts = jsonb_set(facts, '{tasks}', coalesce(facts->'tasks', '{}') || jsonb_build_object($3::text, $4::text)),
    upids = array_append(array_remove(upids, $4::text), $4::text)
  ${HELD}`;

const WRITE_WAITING = `
  update job set facts = facts || jsonb_build_object('waiting', jsonb_build_object('epoch', lease_epoch, 'hostId', $3::int,
    'reason', $4::text, 'since', service_now() - $5 * interval '1 millisecond', 'triesAgainAt', service_now() + $6 * interval '1 millisecond'))
  ${HELD}`;

const END_WAITING = `update job set facts = facts - 'waiting' ${HELD}`;

const END = `
  with held as (
    update job set status = case when $5::text is null then 'done' else 'failed' end, error = $5, facts = facts || $4::jsonb,
      progress = case when $5::text is null then 1 else coalesce($6, progress) end,
      secrets_encrypted = null, lease_until = null, worker = null, finished_at = service_now()
    ${HELD} returning id
  ),
  noted as (${STEPS}),
  ${releaseHeldSql("$5::text is not null")}
  select id from held`;

interface Fenced {
  readonly text: string;
  /** It is prepared under this name. */
  readonly name: string;
  readonly values: readonly unknown[];
}

async function fenced(
  connection: Connection,
  { id, leaseEpoch }: Lease,
  { values, ...rest }: Fenced,
): Promise<boolean> {
  return (await connection.query({ ...rest, values: [id, leaseEpoch, ...values] })).rowCount !== 0;
}

const json = (steps: JournalEntry["steps"], facts: object): string[] => [JSON.stringify(steps), JSON.stringify(facts)];

/** Records an entry. @returns whether the lease is held */
export function writeEntry(
  connection: Connection,
  lease: Lease,
  { steps, facts, progress, step }: JournalEntry & AtStep,
): Promise<boolean> {
  return fenced(connection, lease, {
    name: "job-journal",
    text: WRITE,
    values: [...json(steps, facts), step, progress],
  });
}

/** Records a platform task's id, in the facts and in the list that clients see. @returns whether the lease is held */
export const writeTask = (connection: Connection, lease: Lease, effect: string, upid: string): Promise<boolean> =>
  fenced(connection, lease, { name: "job-task", text: WRITE_TASK, values: [effect, upid] });

/** Records what the job waits for; null: it goes on. @returns whether the lease is held */
export function writeWaiting(connection: Connection, lease: Lease, waiting: Waiting | null): Promise<boolean> {
  if (waiting === null) return fenced(connection, lease, { name: "job-waits-no-more", text: END_WAITING, values: [] });
  const { hostId, reason, sinceMsAgo, againInMs } = waiting;
  const values = [hostId, reason, sinceMsAgo, againInMs];
  return fenced(connection, lease, { name: "job-waits", text: WRITE_WAITING, values });
}

/**
 * Ends a job, and releases what it held: locks, the VMID, its secrets, and the addresses that no guest got. Capacity that a new
 * guest uses stays reserved until the next sync has seen it in use.
 * @returns whether the lease was held
 */
export function endJob(
  connection: Connection,
  lease: Lease,
  { steps, facts, progress, error }: JournalEntry & Outcome,
): Promise<boolean> {
  return fenced(connection, lease, { name: "job-end", text: END, values: [...json(steps, facts), error, progress] });
}
