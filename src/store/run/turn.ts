// The turns of a run's guests: one begins at a time, gets its destination and its migration, and is settled.
import { sql } from "kysely";
import { RunItemStatus } from "../../core/enums.js";
import { rowOf, tables, written, type Connection } from "../tables.js";

/** Where a guest goes. */
export interface Destination {
  readonly hostId: number;
  readonly node: string;
  /** Null: chosen with the move. */
  readonly storage: string | null;
}

/** The guest whose turn it is. */
export interface Turn {
  readonly id: number;
  readonly guestId: number;
  readonly vmid: number;
  readonly fromHostId: number;
  readonly fromNode: string;
  /** Null while no node had capacity. */
  readonly toHostId: number | null;
  readonly toNode: string | null;
  /** Null while it has not been started. */
  readonly migrationId: number | null;
}

const TURN = [
  "id",
  "guest_id as guestId",
  "vmid",
  "from_host_id as fromHostId",
  "from_node as fromNode",
  "to_host_id as toHostId",
  "to_node as toNode",
  "migration_id as migrationId",
] as const;

/** The turn that has begun; null: none has. */
export const current = (connection: Connection, runId: number): Promise<Turn | null> =>
  rowOf(
    connection,
    tables.selectFrom("run_item").select(TURN).where("run_id", "=", runId).where("status", "=", RunItemStatus.RUNNING),
  );

/** Begins the next turn; the caller holds the run. @returns null when no guest waits */
export const beginNext = (connection: Connection, runId: number): Promise<Turn | null> =>
  rowOf(
    connection,
    tables
      .updateTable("run_item")
      .set({ status: RunItemStatus.RUNNING, started_at: sql<Date>`service_now()` })
      .where("id", "=", (db) =>
        db
          .selectFrom("run_item")
          .select("id")
          .where("run_id", "=", runId)
          .where("status", "=", RunItemStatus.WAITING)
          .orderBy("position")
          .limit(1),
      )
      .returning(TURN),
  );

/** Changes a turn while it lasts. */
const updateOfTurn = (id: number) =>
  tables.updateTable("run_item").where("run_item.id", "=", id).where("run_item.status", "=", RunItemStatus.RUNNING);

/** Records where a guest goes, before its migration starts. */
export async function setDestination(
  connection: Connection,
  turnId: number,
  { hostId, node, storage }: Destination,
): Promise<void> {
  const to = { to_host_id: hostId, to_node: node, to_storage: storage };
  await written(connection, updateOfTurn(turnId).set(to));
}

/** Records the migration that moves the guest, and where to. */
export async function setMigration(connection: Connection, turnId: number, migrationId: number): Promise<void> {
  await written(
    connection,
    updateOfTurn(turnId)
      .from("migration as m")
      .set((row) => ({
        migration_id: row.ref("m.id"),
        to_host_id: row.ref("m.target_host_id"),
        to_node: row.ref("m.target_node"),
      }))
      .where("m.id", "=", migrationId),
  );
}

/** How a turn ended. */
export interface Settlement {
  readonly status: Exclude<RunItemStatus, "waiting" | "running">;
  readonly reason: string | null;
}

/** Ends a turn. @returns the share of the run's guests whose turns have ended, 0..1 */
export async function settle(connection: Connection, turnId: number, settlement: Settlement): Promise<number> {
  const statement = tables
    .with("settled", () =>
      updateOfTurn(turnId)
        .set({ ...settlement, finished_at: sql<Date>`service_now()` })
        .returning("run_id"),
    )
    .selectFrom("run_item as i")
    // The statement sees the turn as it was before.
    .select(
      sql<number>`count(*) filter (where i.id = ${turnId} or i.status not in ('waiting', 'running')) / count(*)::float8`.as(
        "share",
      ),
    )
    .where("i.run_id", "=", (db) => db.selectFrom("run_item").select("run_id").where("id", "=", turnId));
  return (await rowOf(connection, statement))?.share ?? 0;
}
