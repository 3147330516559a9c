// Records what a job has done: its steps, findings and end. Every write is fenced by the lease, so that a stalled worker writes nothing.
import type { Pool, PoolClient } from "pg";
import { releaseHeldSql } from "../../src/actions/reservation/releaseHeld.js";
import { inTransaction } from "../../src/db/transaction.js";
import type { Waiting } from "./waits.js";
import { Fenced, type ClaimedJob, type JobFacts } from "./step.js";

/** What is known of one step. */
export interface StepNote {
  readonly name: string;
  readonly position: number;
  readonly status: "running" | "done" | "warned" | "failed";
  /** What later steps need to know; it becomes a part of the job's facts. */
  readonly output?: Partial<JobFacts>;
  readonly error?: string;
}

/** One entry; what is left out stays as it is. */
export interface Entry {
  readonly steps?: readonly StepNote[];
  readonly findings?: Partial<JobFacts>;
  /** The step that the job is at. */
  readonly step?: string;
  /** How far the whole job is, 0..1. */
  readonly progress?: number;
}

/** The job `$1`, while it is held under the lease `$2`. */
export const HELD = `where id = $1 and lease_epoch = $2 and status = 'running'`;

/** The job `$1`, if it is still held under the lease `$2`: nobody takes it over until the statement's transaction ends. */
export const HOLD = `select id from job ${HELD} for no key update`;

/** The steps in `$3`, as an insert that takes the job from `held`. */
const NOTED = `
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
  ), noted as (${NOTED})
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
  noted as (${NOTED}),
  ${releaseHeldSql("$5::text is not null")}
  select id from held`;

/** The journal of one claimed job. A step's end waits for the next entry, and is written with it, in one statement. */
export class Journal {
  #ended: StepNote[] = [];
  #reached: number | undefined;

  constructor(
    private readonly pool: Pool,
    private readonly job: ClaimedJob,
  ) {}

  /** Notes that a step has ended, and how far the job is then, with the next entry: until then a successor repeats it. */
  stepEnded(note: StepNote, progress: number): void {
    this.#ended.push(note);
    this.#reached = progress;
  }

  /** Writes an entry, and what waits for it. @throws Fenced */
  async write(entry: Entry = {}): Promise<void> {
    const { step = null, progress = this.#reached ?? null } = entry;
    const { steps, facts } = this.#gather(entry);
    await this.#fenced({ name: "job-journal", text: WRITE, values: [steps, facts, step, progress] });
    this.#forget();
  }

  /** Writes down a platform task's id, in the facts and in the list that clients see. @throws Fenced */
  writeTask(effect: string, upid: string): Promise<void> {
    return this.#fenced({ name: "job-task", text: WRITE_TASK, values: [effect, upid] });
  }

  /** Writes down what the job waits for; null: it goes on. @throws Fenced */
  writeWaiting(waiting: Waiting | null): Promise<void> {
    if (waiting === null) return this.#fenced({ name: "job-waits-no-more", text: END_WAITING, values: [] });
    const { hostId, reason, sinceMsAgo, againInMs } = waiting;
    const values = [hostId, reason, sinceMsAgo, againInMs];
    return this.#fenced({ name: "job-waits", text: WRITE_WAITING, values });
  }

  /**
   * Ends the job and gives back all that it held: locks, the VMID, its secrets, and the addresses that no guest got. Room that
   * a new guest took stays promised until the next sync has seen it in use.
   * One statement: a crash leaves either all of it or nothing. @throws Fenced
   */
  async end(error: string | null): Promise<void> {
    const { steps, facts } = this.#gather({});
    await this.#fenced({ name: "job-end", text: END, values: [steps, facts, error, this.#reached ?? null] });
    this.#forget();
  }

  #gather({ steps = [], findings = {} }: Entry): { steps: string; facts: string } {
    const notes = [...this.#ended, ...steps];
    const facts = notes.reduce((found, { output }) => ({ ...found, ...output }), {});
    return { steps: JSON.stringify(notes), facts: JSON.stringify({ ...facts, ...findings }) };
  }

  #forget(): void {
    this.#ended = [];
    this.#reached = undefined;
  }

  async #fenced({ values, ...statement }: { name: string; text: string; values: readonly unknown[] }): Promise<void> {
    const { id, leaseEpoch } = this.job;
    const { rowCount } = await this.pool.query({ ...statement, values: [id, leaseEpoch, ...values] });
    if (rowCount === 0) throw lost(this.job);
  }
}

/** Does `work` in one transaction, if the lease is still held. @throws Fenced */
export function inFencedTransaction<Result>(
  pool: Pool,
  job: ClaimedJob,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  return inTransaction(pool, async (client) => {
    const { rowCount } = await client.query(HOLD, [job.id, job.leaseEpoch]);
    if (rowCount === 0) throw lost(job);
    return work(client);
  });
}

/** What is thrown to a worker whose lease went to another. */
export const lost = ({ id, leaseEpoch }: Pick<ClaimedJob, "id" | "leaseEpoch">): Fenced =>
  new Fenced(`job ${id} is no longer held under lease ${leaseEpoch}`);
