// Writes jobs: makes them, continues earlier ones, and changes what they are to do.
import { sql, type Expression, type Insertable, type RawBuilder, type Updateable } from "kysely";
import type { JobKind } from "../../core/enums.js";
import { guestLockSql } from "../../core/guest/lock.js";
import { insertedId, tables, written, type Connection, type Tables } from "../tables.js";

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
 * the locks name. @returns their ids
 */
export const insertionOfLocked = (kind: JobKind, version: RawBuilder<number>) =>
  // In SQL: the builder cannot say that the ids are given.
  sql<{ id: number }>`(
    insert into job (id, kind, version, host_id, node, vmid, guest_id) overriding system value
    select job_id, ${sql.lit(kind)}, ${version}::smallint, host_id, node, vmid, due.id
    from locked join due on ${sql.raw(guestLockSql("due"))} = locked.key order by job_id
    returning id)`;

/** @returns its id; the caller commits, then wakes a worker */
export const insertJob = (connection: Connection, job: Insertable<Tables["job"]>): Promise<number> =>
  insertedId(connection, tables.insertInto("job").values(job).returning("id"));

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
  const asked = sql<{ id: number; input: unknown }>`jsonb_to_recordset(${JSON.stringify(jobs)}::jsonb)`;
  await written(
    connection,
    tables
      .updateTable("job")
      .from(asked.as<"asked">(sql.raw("asked (id integer, input jsonb)")))
      .set((row) => ({ input: row.ref("asked.input") }))
      .whereRef("job.id", "=", "asked.id"),
  );
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
export async function continueJob(
  connection: Connection,
  { from, to, facts, neverRepeated }: Continuation,
): Promise<void> {
  await written(
    connection,
    tables
      .updateTable("job")
      .from("job as old")
      .set((row) => ({
        facts: sql`${JSON.stringify(facts)}::jsonb - ${OF_ONE_ATTEMPT}::text[]`,
        upids: row.ref("old.upids"),
      }))
      .where("job.id", "=", to)
      .where("old.id", "=", from),
  );
  await written(
    connection,
    tables
      .insertInto("job_step")
      .columns(["job_id", "name", "position", "status", "output", "started_at", "finished_at"])
      .expression((db) =>
        db
          .selectFrom("job_step")
          .select([
            sql<number>`${to}::int`.as("job_id"),
            "name",
            "position",
            sql.lit("done").as("status"),
            "output",
            "started_at",
            "finished_at",
          ])
          .where("job_id", "=", from)
          .where((row) =>
            row.or([row("status", "=", "done"), row("status", "=", "warned").and("name", "=", neverRepeated)]),
          ),
      ),
  );
}
