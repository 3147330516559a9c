// Evacuations and balance runs: planned, recorded with the turns of their guests, and stopped.
import { sql } from "kysely";
import { JobKind, RunItemStatus } from "../../core/enums.js";
import { insertedId, rowOf, rowsOf, tables, written, type Connection, type Row } from "../tables.js";
import type { Destination } from "./turn.js";

/** A run that was planned. */
interface NewRun {
  readonly kind: typeof JobKind.EVACUATION | typeof JobKind.BALANCE_RUN;
  readonly jobId: number;
  /** Of an evacuation. */
  readonly hostId: number | null;
  readonly node: string | null;
  readonly targetHostId: number | null;
  readonly targetNode: string | null;
  readonly ipZoneId: number | null;
  readonly dropPortForwards: boolean;
  /** Hosts that guests may go to; null: all. */
  readonly scope: readonly number[] | null;
}

/** A run that a job carries out. */
export interface RunRecord {
  readonly id: number;
  readonly jobId: number;
  readonly kind: NewRun["kind"];
  /** Hosts that guests may go to; null: all. */
  readonly scope: readonly number[] | null;
  readonly targetHostId: number | null;
  readonly targetNode: string | null;
  readonly ipZoneId: number | null;
  readonly dropPortForwards: boolean;
}

/** The run of a job. @returns null when the job has none */
export const ofJob = (connection: Connection, jobId: number): Promise<RunRecord | null> =>
  rowOf(
    connection,
    tables
      .selectFrom("run")
      .select(["id", "job_id as jobId", "kind", "host_scope as scope", "target_host_id as targetHostId"])
      .select(["target_node as targetNode", "ip_zone_id as ipZoneId", "drop_port_forwards as dropPortForwards"])
      .where("job_id", "=", jobId)
      .$narrowType<{ jobId: number }>(),
  );

/**
 * Runs are planned one after the other: two plans at once would choose the same capacity. Held until the transaction ends; it is
 * taken before any row is locked.
 */
export async function lockPlanning(connection: Connection): Promise<void> {
  await written(connection, sql`select pg_advisory_xact_lock(hashtext('runs'))`);
}

/** Inserts a run with its job. @returns its id */
export async function insert(connection: Connection, run: NewRun): Promise<number> {
  const statement = tables.insertInto("run").values({
    kind: run.kind,
    job_id: run.jobId,
    host_id: run.hostId,
    node: run.node,
    target_host_id: run.targetHostId,
    target_node: run.targetNode,
    ip_zone_id: run.ipZoneId,
    drop_port_forwards: run.dropPortForwards,
    host_scope: run.scope && [...run.scope],
  });
  return insertedId(connection, statement.returning("id"));
}

/** The turn of one guest. */
interface NewItem {
  readonly guest: {
    readonly id: number;
    readonly name: string;
    readonly vmid: number;
    readonly hostId: number;
    readonly node: string;
  };
  /** Null while no node has capacity. */
  readonly to: Destination | null;
}

const TURN_COLUMNS = [
  "run_id",
  "position",
  "guest_id",
  "guest_name",
  "vmid",
  "from_host_id",
  "from_node",
  "to_host_id",
  "to_node",
  "to_storage",
] as const;

/**
 * Inserts the turns of a run's guests, in their order. A guest waits for its turn in one run at a time.
 * @returns false when one of the guests waits in another run: the caller rolls back
 */
export async function insertItems(connection: Connection, runId: number, items: readonly NewItem[]): Promise<boolean> {
  if (items.length === 0) return true;
  const rows = items.map(({ guest, to }, position) => ({
    run_id: runId,
    position,
    guest_id: guest.id,
    guest_name: guest.name,
    vmid: guest.vmid,
    from_host_id: guest.hostId,
    from_node: guest.node,
    to_host_id: to?.hostId ?? null,
    to_node: to?.node ?? null,
    to_storage: to?.storage ?? null,
  }));
  const insertion = tables
    .insertInto("run_item")
    .columns(TURN_COLUMNS)
    .expression((db) =>
      db
        .selectFrom(sql<Row<"run_item">>`json_populate_recordset(null::run_item, ${JSON.stringify(rows)})`.as("turn"))
        .select(TURN_COLUMNS),
    )
    .onConflict((conflict) => conflict.doNothing());
  return (await written(connection, insertion)) === items.length;
}

/** The evacuation of a host that has not ended. @returns its id; null when there is none */
export async function unfinishedEvacuation(connection: Connection, hostId: number): Promise<number | null> {
  const evacuation = tables
    .selectFrom("run")
    .select("id")
    .where("kind", "=", sql.lit(JobKind.EVACUATION))
    .where("host_id", "=", hostId)
    .where("finished_at", "is", null);
  return (await rowOf(connection, evacuation))?.id ?? null;
}

/** Locks a run until the transaction ends: its next turn and its stop exclude each other. */
export async function lock(connection: Connection, id: number): Promise<void> {
  await rowsOf(connection, tables.selectFrom("run").select("id").where("id", "=", id).forUpdate());
}

/** Locks a run of a kind, as `lock`. @returns null when there is none */
export const lockOfKind = (
  connection: Connection,
  kind: NewRun["kind"],
  id: number,
): Promise<{ readonly active: boolean } | null> =>
  rowOf(
    connection,
    tables
      .selectFrom("run")
      .select(sql<boolean>`finished_at is null`.as("active"))
      .where("id", "=", id)
      .where("kind", "=", kind)
      .forUpdate(),
  );

const STOPPED_BEFORE = "the run was stopped before its turn";

/** Stops a run after the guest that moves now: guests that wait are skipped. The caller holds the run. */
export async function stop(connection: Connection, id: number): Promise<void> {
  await written(
    connection,
    tables
      .updateTable("run")
      .set({ stop_requested_at: sql<Date>`coalesce(stop_requested_at, service_now())` })
      .where("id", "=", id),
  );
  await written(
    connection,
    tables
      .updateTable("run_item")
      .set({ status: RunItemStatus.SKIPPED, reason: STOPPED_BEFORE, finished_at: sql<Date>`service_now()` })
      .where("run_id", "=", id)
      .where("status", "=", RunItemStatus.WAITING),
  );
}
