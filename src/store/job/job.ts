// Writes jobs: makes them, changes their input before they run, and proves that a worker still holds one.
import { sql, type Expression, type Insertable, type RawBuilder, type Updateable } from "kysely";
import { JobStatus, type JobKind } from "../../core/enums.js";
import { guestLockSql } from "../../core/guest/lock.js";
import { rowOf, tables, written, type Connection, type Given, type Tables } from "../tables.js";

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

/** Part of a statement: the job of a lease, as `HOLD`. */
export const held = ({ id, leaseEpoch }: Lease | Given<Lease>) =>
  tables
    .selectFrom("job")
    .select("id")
    .where("id", "=", id)
    .where("lease_epoch", "=", leaseEpoch)
    .where("status", "=", sql.lit(JobStatus.RUNNING))
    .forNoKeyUpdate();

/** Part of a statement: a change of the job of a lease. */
export const updateOfHeld = ({ id, leaseEpoch }: Lease | Given<Lease>) =>
  tables
    .updateTable("job")
    .where("id", "=", id)
    .where("lease_epoch", "=", leaseEpoch)
    .where("status", "=", sql.lit(JobStatus.RUNNING));

/** What changes of a job that takes another VMID. */
export type Exchanged = Pick<Updateable<Tables["job"]>, "vmid" | "facts" | "input">;

/** A creation's guest has this VMID; a finding says so too, since a worker keeps the row as it was when it claimed the job. */
export const withVmid = (vmid: number) =>
  ({ vmid, facts: sql`facts || jsonb_build_object('vmid', ${vmid}::int)` }) satisfies Exchanged;

/** A move's guest gets this VMID on the target; likewise. */
export const withTargetVmid = (vmid: number) =>
  ({
    facts: sql`facts || jsonb_build_object('targetVmid', ${vmid}::int)`,
    input: sql`jsonb_set(input, '{target,vmid}', to_jsonb(${vmid}::int))`,
  }) satisfies Exchanged;

/** Part of a statement with a part `recorded`, a guest: it is the one of a job from now on. */
export const linkToRecorded = (id: Expression<number>) =>
  tables
    .withTables<{ recorded: { id: number } }>()
    .updateTable("job")
    .from("recorded")
    .set((row) => ({
      guest_id: row.ref("recorded.id"),
      facts: sql`facts || jsonb_build_object('guestId', recorded.id)`,
    }))
    .where("job.id", "=", id);

/** A job for a guest that is to be created. */
export interface NewCreation {
  readonly node: string;
  readonly vmid: number;
  readonly input: unknown;
  readonly secrets: string;
  readonly user_id: number | null;
  readonly token_id: number | null;
}

/** Part of a statement with a part `wanted`: a job of the host for each row. @returns ids and VMIDs */
export const insertionOfWanted = (job: {
  readonly kind: JobKind;
  readonly version: RawBuilder<number>;
  readonly hostId: RawBuilder<number>;
}) =>
  tables
    .withTables<{ wanted: NewCreation }>()
    .insertInto("job")
    .columns([
      "kind",
      "version",
      "host_id",
      "node",
      "vmid",
      "input",
      "secrets_encrypted",
      "created_by_user",
      "created_by_token",
    ])
    .expression((db) =>
      db
        .selectFrom("wanted")
        .select([
          sql.lit(job.kind).as("kind"),
          job.version.as("version"),
          job.hostId.as("host_id"),
          "node",
          "vmid",
          "input",
          "secrets",
          "user_id",
          "token_id",
        ]),
    )
    .returning(["id", sql<number>`vmid`.as("vmid")]);

/**
 * Part of a statement with the parts `due`, guests, and `locked`, their locks: the jobs that have these locks, under the ids that
 * the locks name.
 */
export const insertionOfLocked = (kind: JobKind, version: string): string => `
  insert into job (id, kind, version, host_id, node, vmid, guest_id) overriding system value
  select job_id, '${kind}', ${version}::smallint, host_id, node, vmid, due.id
  from locked join due on ${guestLockSql("due")} = locked.key order by job_id
  returning id`;

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
