// Writes the journal of jobs: steps, findings, platform tasks, waits and the end. Each write is one statement, fenced by the lease:
// a worker that lost its lease writes nothing.
import { sql, type RawBuilder } from "kysely";
import type { JobStatus } from "../../core/enums.js";
import { updateOfHeld, type Lease } from "./lease.js";
import { prepared, rowOf, tables, written, type Connection, type Given, type Row } from "../tables.js";

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

export interface JobOutcome {
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

type HeldPart = { held: { id: number } };

/** A step in the JSON of an entry. */
interface StepOfEntry {
  readonly name: string;
  readonly position: number;
  readonly status: StepStatus;
  readonly output: object | null;
  readonly error: string | null;
}

/** Part of a statement with a part `held`, a job: steps of it that began or ended. @param steps JSON of `StepOfEntry`s */
export const stepsOfHeld = (steps: RawBuilder<string>) =>
  tables
    .withTables<HeldPart>()
    .insertInto("job_step")
    .columns(["job_id", "name", "position", "status", "output", "error", "finished_at"])
    .expression((db) =>
      db
        .selectFrom([
          "held",
          sql<StepOfEntry>`jsonb_to_recordset(${steps}::jsonb)`.as<"s">(
            sql.raw("s (name text, position integer, status text, output jsonb, error text)"),
          ),
        ])
        .select([
          "held.id",
          "s.name",
          "s.position",
          "s.status",
          sql`coalesce(s.output, '{}')`.as("output"),
          "s.error",
          sql<Date | null>`case when s.status <> 'running' then service_now() end`.as("finished_at"),
        ]),
    )
    .onConflict((conflict) =>
      conflict.columns(["job_id", "name"]).doUpdateSet((row) => ({
        status: row.ref("excluded.status"),
        output: row.ref("excluded.output"),
        error: row.ref("excluded.error"),
        started_at: sql<Date>`case when excluded.status = 'running' then service_now() else job_step.started_at end`,
        finished_at: row.ref("excluded.finished_at"),
      })),
    );

/** The values of an entry: `steps` and `facts` are JSON. */
export interface EntryValues extends Lease {
  readonly steps: string;
  readonly facts: string;
  readonly progress: number | null;
}

const WRITE = prepared<EntryValues & AtStep, { id: number }>("job-journal", (given) =>
  tables
    .with("held", () =>
      updateOfHeld(given)
        .set({
          facts: sql`facts || ${given.facts}::jsonb`,
          step: sql<string | null>`coalesce(${given.step}, step)`,
          progress: sql<number>`coalesce(${given.progress}, progress)`,
        })
        .returning("id"),
    )
    .with("noted", () => stepsOfHeld(given.steps))
    .selectFrom("held")
    .select("id"),
);

interface TaskOfEffect extends Lease {
  readonly effect: string;
  readonly upid: string;
}

const WRITE_TASK = prepared<TaskOfEffect, never>("job-task", (given) =>
  updateOfHeld(given).set({
    facts: sql`jsonb_set(facts, '{tasks}',
      coalesce(facts->'tasks', '{}') || jsonb_build_object(${given.effect}::text, ${given.upid}::text))`,
    upids: sql<string[]>`array_append(array_remove(upids, ${given.upid}::text), ${given.upid}::text)`,
  }),
);

const WRITE_WAITING = prepared<Lease & Waiting, never>("job-waits", (given) =>
  updateOfHeld(given).set({
    facts: sql`facts || jsonb_build_object('waiting', jsonb_build_object(
      'epoch', lease_epoch, 'hostId', ${given.hostId}::int, 'reason', ${given.reason}::text,
      'since', service_now() - ${given.sinceMsAgo} * interval '1 millisecond',
      'triesAgainAt', service_now() + ${given.againInMs} * interval '1 millisecond'))`,
  }),
);

const END_WAITING = prepared<Lease, never>("job-waits-no-more", (given) =>
  updateOfHeld(given).set({ facts: sql`facts - 'waiting'` }),
);

/** Part of a statement: the end of the job of a lease. @returns the job */
export const endOfHeld = (given: Given<EntryValues & JobOutcome>) =>
  updateOfHeld(given)
    .set({
      status: sql<JobStatus>`case when ${given.error}::text is null then 'done' else 'failed' end`,
      error: given.error,
      facts: sql`facts || ${given.facts}::jsonb`,
      progress: sql<number>`case when ${given.error}::text is null then 1 else coalesce(${given.progress}, progress) end`,
      secrets_encrypted: null,
      lease_until: null,
      worker: null,
      finished_at: sql<Date>`service_now()`,
    })
    .returning("id");

/** The values of an entry that is written under a lease. */
export const entryValues = ({ id, leaseEpoch }: Lease, { steps, facts, progress }: JournalEntry): EntryValues => ({
  id,
  leaseEpoch,
  steps: JSON.stringify(steps),
  facts: JSON.stringify(facts),
  progress,
});

/** Records an entry. @returns whether the lease is held */
export const writeEntry = async (
  connection: Connection,
  lease: Lease,
  { step, ...entry }: JournalEntry & AtStep,
): Promise<boolean> => (await rowOf(connection, WRITE({ ...entryValues(lease, entry), step }))) !== null;

/** Records a platform task's id, in the facts and in the list that clients see. @returns whether the lease is held */
export const writeTask = async (
  connection: Connection,
  { id, leaseEpoch }: Lease,
  effect: string,
  upid: string,
): Promise<boolean> => (await written(connection, WRITE_TASK({ id, leaseEpoch, effect, upid }))) === 1;

/** Records what the job waits for; null: it goes on. @returns whether the lease is held */
export async function writeWaiting(
  connection: Connection,
  { id, leaseEpoch }: Lease,
  waiting: Waiting | null,
): Promise<boolean> {
  const lease = { id, leaseEpoch };
  const statement = waiting === null ? END_WAITING(lease) : WRITE_WAITING({ ...waiting, ...lease });
  return (await written(connection, statement)) === 1;
}
