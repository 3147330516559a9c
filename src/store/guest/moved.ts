// Guests that move between hosts: the row goes along with the guest, and the original that stays behind gets a row of its own.
import { sql, type RawBuilder } from "kysely";
import { GuestStatus } from "../../core/enums.js";
import { guestLockSql } from "../../core/guest/lock.js";
import { rowOf, tables, written, type Connection, type Row } from "../tables.js";

/** Where a guest is. */
interface Place {
  readonly hostId: number;
  readonly nodeId: number;
  readonly vmid: number;
}

/** A guest on the target of its move. */
interface Arrival {
  readonly guestId: number;
  readonly from: Place;
  readonly to: Place;
  readonly status: GuestStatus;
  readonly addresses: readonly string[];
}

/**
 * Moves a guest's row to the target: it keeps its id, and with it whatever refers to it. A guest without a mark of its own was
 * identified by the tasks of the source, which say nothing on the target: its identity is cleared.
 * @returns what the original is identified by; null when the guest is not at the source any more: a second run changes nothing
 */
export const moveToTarget = (
  connection: Connection,
  { guestId, from, to, status, addresses }: Arrival,
): Promise<{ readonly identity: unknown } | null> =>
  rowOf(
    connection,
    tables
      .updateTable("guest as g")
      .from((db) =>
        db
          .selectFrom("guest")
          .select(["id", "identity"])
          .where("id", "=", guestId)
          .where("host_id", "=", from.hostId)
          .where("vmid", "=", from.vmid)
          .forNoKeyUpdate()
          .as("before"),
      )
      .set({
        host_id: to.hostId,
        node_id: to.nodeId,
        vmid: to.vmid,
        status,
        ip_addresses: [...addresses],
        lock: null,
        config_read_at: null,
        unseen_since: null,
        gone_at: null,
        identity: sql`case when g.identity #>> '{marks,uuid}' is not null then g.identity end`,
      })
      .whereRef("g.id", "=", "before.id")
      .returning("before.identity"),
  );

/** The original of a guest that has moved. */
interface Original {
  readonly guestId: number;
  readonly at: Place;
  readonly identity: unknown;
}

/** Part of a statement: the row of the original, as the platform leaves it. @returns its id */
export const insertionOfOriginal = ({ guestId, at, identity }: Original) =>
  tables
    .insertInto("guest")
    .columns([
      "host_id",
      "node_id",
      "type",
      "vmid",
      "name",
      "status",
      "tags",
      "cores",
      "memory_mb",
      "disk_bytes",
      "system_disk_bytes",
      "unsized_disks",
      "identity",
      "lock",
      "safety_copy",
    ])
    .expression((db) =>
      db
        .selectFrom("guest")
        .select([
          sql<number>`${at.hostId}::int`.as("host_id"),
          sql<number>`${at.nodeId}::int`.as("node_id"),
          "type",
          sql<number>`${at.vmid}::int`.as("vmid"),
          "name",
          sql.lit(GuestStatus.STOPPED).as("status"),
          "tags",
          "cores",
          "memory_mb",
          "disk_bytes",
          "system_disk_bytes",
          "unsized_disks",
          sql`${identity}::jsonb`.as("identity"),
          sql.lit("migrate").as("lock"),
          sql.lit(true).as("safety_copy"),
        ])
        .where("id", "=", guestId),
    )
    .returning("id");

/** The original of a move, or the guest itself while it has none of its own. @returns null when it is no longer on record */
export const originalOf = (
  connection: Connection,
  migrationId: number,
): Promise<Pick<Row<"guest">, "type" | "vmid" | "identity"> | null> =>
  rowOf(
    connection,
    tables
      .selectFrom("migration as m")
      .innerJoin("guest as g", (join) =>
        join.on("g.id", "=", sql<number>`coalesce(m.safety_copy_guest_id, m.guest_id)`),
      )
      .select(["g.type", "g.vmid", "g.identity"])
      .where("m.id", "=", migrationId),
  );

/** What makes an original the safety copy. */
interface SafetyCopy {
  readonly migrationId: number;
  readonly at: Date;
  readonly tags: readonly string[];
}

/** Records that the original of a move is its safety copy from now on, and when it is deleted: a date that is set already stays. */
export async function markSafetyCopy(connection: Connection, { migrationId, at, tags }: SafetyCopy): Promise<void> {
  await written(
    connection,
    tables
      .updateTable("guest")
      .from("setting")
      .set({
        safety_copy: true,
        status: GuestStatus.STOPPED,
        lock: null,
        owner_id: null,
        plan_id: null,
        safety_copy_delete_at: sql<Date>`coalesce(safety_copy_delete_at,
          ${at}::timestamptz + setting.safety_copy_retention_days * interval '24 hours')`,
        tags: sql<string[]>`array(select distinct tag from unnest(tags || ${tags}::text[]) tag order by tag)`,
      })
      .where("guest.id", "=", (db) =>
        db.selectFrom("migration").select("safety_copy_guest_id").where("id", "=", migrationId),
      ),
  );
}

/** Part of a statement: free safety copies of connected hosts whose date has come, locked in the order of their ids. */
export const dueSafetyCopies = (at: RawBuilder<Date>) =>
  tables
    .selectFrom("guest as g")
    .innerJoin("node as n", "n.id", "g.node_id")
    .innerJoin("host as h", "h.id", "g.host_id")
    .select(["g.id", "g.host_id", "n.name as node", "g.vmid"])
    .where("h.active", "=", sql.lit(true))
    .where("g.safety_copy", "=", sql.lit(true))
    .where("g.gone_at", "is", null)
    .where("g.safety_copy_delete_at", "<=", at)
    .where(sql<boolean>`not exists (select from resource_lock l where l.key = ${sql.raw(guestLockSql("g"))})`)
    .orderBy("g.id")
    .forNoKeyUpdate("g");
