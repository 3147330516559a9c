// Migrations: their state, progress and outcome.
import { sql, type RawBuilder } from "kysely";
import { MigrationStatus, type GuestType, type JobKind, type MigrationMode } from "../core/enums.js";
import { insertionOfOriginal } from "./guest/moved.js";
import { isHeld, updateOfHeld, type Lease } from "./job/lease.js";
import { insertedId, prepared, rowOf, tables, written, type Connection, type Row } from "./tables.js";

/** A move that was planned. */
interface NewMigration {
  readonly jobId: number;
  readonly guest: { readonly id: number; readonly name: string; readonly type: GuestType };
  readonly source: { readonly hostId: number; readonly node: string; readonly vmid: number };
  readonly target: { readonly hostId: number; readonly node: string; readonly vmid: number };
  readonly mode: MigrationMode;
  readonly bytesTotal: number;
  readonly evacuationId: number | null;
  readonly balanceRunId: number | null;
  /** Warnings of the plan, in words. */
  readonly warnings: readonly string[];
}

/** Records a move with its job. @returns its id */
export async function insert(connection: Connection, migration: NewMigration): Promise<number> {
  const { jobId, guest, source, target, mode, bytesTotal, evacuationId, balanceRunId, warnings } = migration;
  const statement = tables.insertInto("migration").values({
    job_id: jobId,
    guest_id: guest.id,
    guest_name: guest.name,
    guest_type: guest.type,
    vmid: source.vmid,
    target_vmid: target.vmid,
    source_host_id: source.hostId,
    source_node: source.node,
    target_host_id: target.hostId,
    target_node: target.node,
    mode,
    bytes_total: bytesTotal,
    evacuation_id: evacuationId,
    balance_run_id: balanceRunId,
    foreseen: [...warnings],
  });
  return insertedId(connection, statement.returning("id"));
}

/** The attempt that continues an ended migration. */
interface Attempt {
  readonly id: number;
  readonly jobId: number;
  readonly targetVmid: number;
}

/** What is known of a transfer that is not repeated stays; otherwise it starts from the beginning. */
const keptIfTransferred = <Value>(column: string, otherwise = "null"): RawBuilder<Value> =>
  sql<Value>`case when transfer_done then ${sql.ref(column)} else ${sql.raw(otherwise)} end`;

/** Queues an ended migration again, for a new job. The caller holds its row. */
export async function restart(connection: Connection, { id, jobId, targetVmid }: Attempt): Promise<void> {
  await written(
    connection,
    tables
      .updateTable("migration")
      .set({
        job_id: jobId,
        target_vmid: targetVmid,
        status: MigrationStatus.QUEUED,
        error: null,
        finished_at: null,
        started_at: keptIfTransferred("started_at"),
        bytes_copied: keptIfTransferred("bytes_copied"),
        log: keptIfTransferred("log", "'{}'"),
      })
      .where("id", "=", id),
  );
}

/** Part of a statement with a part `held`, the job of a move: its guest gets another VMID on the target. */
export const retargetingOfHeld = (vmid: number) =>
  tables
    .withTables<{ held: { id: number } }>()
    .updateTable("migration as m")
    .from("held")
    .set({ target_vmid: vmid })
    .whereRef("m.job_id", "=", "held.id");

/**
 * The commit point of a move, in one statement with the same fact of its job: from here on the guest is the target's, and all of
 * it is there. @returns whether the lease is held
 */
export async function markTransferred(connection: Connection, lease: Lease, node: string): Promise<boolean> {
  const statement = tables
    .with("held", () =>
      updateOfHeld(lease)
        .set({ facts: sql`facts || '{"transferDone": true}'` })
        .returning("id"),
    )
    .updateTable("migration")
    .from("held")
    .set({
      transfer_done: true,
      target_node: node,
      bytes_copied: sql<number>`coalesce(bytes_total, bytes_copied)`,
    })
    .whereRef("migration.job_id", "=", "held.id");
  return (await written(connection, statement)) === 1;
}

/** How far a transfer is. */
interface Progress extends Lease {
  /** Null: not known. */
  readonly bytesCopied: number | null;
  /** Its newest lines. */
  readonly log: readonly string[];
}

const SET_PROGRESS = prepared<Progress, never>("migration-progress", (given) =>
  tables
    .with("held", (db) => db.selectFrom("job").select("id").where(isHeld(given)))
    .updateTable("migration as m")
    .from("held")
    .set({
      bytes_copied: sql<number>`greatest(${given.bytesCopied}, m.bytes_copied)`,
      log: sql<string[]>`${given.log}`,
    })
    .whereRef("m.job_id", "=", "held.id"),
);

/** Records how far a transfer is; the number of bytes never falls. @returns whether the lease is held */
export const setProgress = async (connection: Connection, progress: Progress): Promise<boolean> =>
  (await written(connection, SET_PROGRESS(progress))) === 1;

/** Part of a statement with a part `held`, a job that is given up: the reason joins what is on record of its migration. */
export const refusalOfHeld = (reason: string) =>
  tables
    .withTables<{ held: { id: number } }>()
    .updateTable("migration")
    .from(["held", "job as j"])
    .set({ error: sql<string>`j.error || '; ' || ${reason}::text` })
    .whereRef("migration.job_id", "=", "held.id")
    .whereRef("j.id", "=", "held.id");

/** Records the original of a guest that has moved, in a row of its own that the migration refers to. */
export async function recordOriginal(
  connection: Connection,
  migrationId: number,
  original: Parameters<typeof insertionOfOriginal>[0],
): Promise<void> {
  await written(
    connection,
    tables
      .with("original", () => insertionOfOriginal(original))
      .updateTable("migration")
      .from("original")
      .set((row) => ({ safety_copy_guest_id: row.ref("original.id") }))
      .where("migration.id", "=", migrationId),
  );
}

/** Changes how a job's migration moves the guest. */
export async function setMode(connection: Connection, jobId: number, mode: MigrationMode): Promise<void> {
  await written(
    connection,
    tables.updateTable("migration").set({ mode }).where("job_id", "=", jobId).where("mode", "<>", mode),
  );
}

/** How a migration stands. */
export interface Standing {
  readonly id: number;
  readonly status: MigrationStatus;
  readonly error: string | null;
  readonly transferDone: boolean;
  /** What went wrong after the transfer. */
  readonly warnings: readonly string[];
  readonly type: GuestType;
  readonly vmid: number;
  readonly sourceHostId: number;
  readonly targetHostId: number;
  readonly targetVmid: number;
}

const WARNINGS = sql<string[]>`array(select s.error from job_step s
  where s.job_id = m.job_id and s.status = 'warned' order by s.position)`;

/** How a migration stands. @returns null when it is not on record */
export const standingOf = (connection: Connection, id: number): Promise<Standing | null> =>
  rowOf(
    connection,
    tables
      .selectFrom("migration as m")
      .select(["m.id", "m.status", "m.error", "m.transfer_done as transferDone", "m.guest_type as type", "m.vmid"])
      .select(["m.source_host_id as sourceHostId", "m.target_host_id as targetHostId", "m.target_vmid as targetVmid"])
      .select(WARNINGS.as("warnings"))
      .where("m.id", "=", id),
  );

/** The guest of a run. */
interface GuestOfRun {
  readonly run: { readonly id: number; readonly kind: Row<"run">["kind"] };
  readonly guestId: number;
}

/** The latest migration of a guest that a run has started. @returns its id; null when there is none */
export async function latestOfRun(connection: Connection, { run, guestId }: GuestOfRun): Promise<number | null> {
  const migration = tables
    .selectFrom("migration")
    .select("id")
    .where(run.kind === "evacuation" ? "evacuation_id" : "balance_run_id", "=", run.id)
    .where("guest_id", "=", guestId)
    .orderBy("id", "desc")
    .limit(1);
  return (await rowOf(connection, migration))?.id ?? null;
}

/** A migration, with what its job has stored. */
interface Locked extends Pick<Standing, "id" | "status" | "transferDone" | "sourceHostId" | "targetHostId"> {
  readonly jobId: number | null;
  /** Null: the job is gone, and with it what it had stored. */
  readonly kind: JobKind | null;
  readonly version: number | null;
  readonly input: unknown;
  readonly facts: unknown;
  readonly guestId: number | null;
  readonly stepsDone: readonly string[];
  readonly parked: boolean;
}

/** Locks a migration until the transaction ends, and reads its job. @returns null when there is none */
export const lock = (connection: Connection, id: number): Promise<Locked | null> =>
  rowOf(
    connection,
    tables
      .selectFrom("migration as m")
      .leftJoin("job as j", "j.id", "m.job_id")
      .select(["m.id", "m.job_id as jobId", "m.status", "m.transfer_done as transferDone"])
      .select(["m.source_host_id as sourceHostId", "m.target_host_id as targetHostId"])
      .select(["j.kind", "j.version", "j.input", "j.facts", "j.guest_id as guestId"])
      .select([
        sql<string[]>`array(select name from job_step where job_id = j.id and status in ('done', 'warned'))`.as(
          "stepsDone",
        ),
        sql<boolean>`j.parked_at is not null`.as("parked"),
      ])
      .where("m.id", "=", id)
      .forUpdate("m"),
  );
