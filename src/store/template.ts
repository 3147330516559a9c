// What guests are made from: QEMU templates of hosts, and template files of the managed library.
import { sql } from "kysely";
import { GuestType } from "../core/enums.js";
import { insertedId, rowOf, tables, type Connection, type Given } from "./tables.js";

/** A QEMU template where it lies, with the name that it is registered under. */
interface PlacedTemplate {
  readonly hostId: number;
  readonly node: string;
  readonly vmid: number;
  readonly name: string;
}

/** The least that a guest's system disk may have: what is not split yet counts as a whole, so that nothing too small is accepted. */
const minDiskBytes = sql<number>`coalesce(g.system_disk_bytes, g.disk_bytes)`;

/**
 * Registers a template that is in the inventory as a guest.
 * @returns the id; null when there is no such template
 * @throws the driver's unique violation for one that is registered already
 */
export async function insertOs(connection: Connection, placed: PlacedTemplate): Promise<number | null> {
  const template = tables
    .selectFrom("guest as g")
    .innerJoin("node as n", "n.id", "g.node_id")
    .select([
      "g.host_id",
      "g.node_id",
      "g.vmid",
      sql<string>`${placed.name}::text`.as("name"),
      minDiskBytes.as("least"),
    ])
    .where("g.host_id", "=", placed.hostId)
    .where("n.name", "=", placed.node)
    .where("g.vmid", "=", placed.vmid)
    .where("g.type", "=", GuestType.QEMU)
    .where("g.template", "=", true)
    .where("g.gone_at", "is", null);
  const insert = tables
    .insertInto("os_template")
    .columns(["host_id", "node_id", "vmid", "name", "min_disk_bytes"])
    .expression(template)
    .returning("id");
  return (await rowOf(connection, insert))?.id ?? null;
}

interface TemplateFile {
  readonly name: string;
  readonly volid: string;
}

/** @returns the id. @throws the driver's unique violation for a file that is registered already */
export const insertCt = (connection: Connection, file: TemplateFile): Promise<number> =>
  insertedId(connection, tables.insertInto("ct_template").values(file).returning("id"));

/** Part of a statement: registered templates of a host follow their guest: its node, its size, and whether it still is a template. */
export const following = ({ hostId }: Given<{ readonly hostId: number }>) =>
  tables
    .updateTable("os_template as t")
    .from("os_template as o")
    .leftJoin("guest as g", (join) =>
      join
        .onRef("g.host_id", "=", "o.host_id")
        .onRef("g.vmid", "=", "o.vmid")
        .on("g.gone_at", "is", null)
        .on("g.template", "=", sql.lit(true)),
    )
    .set({
      active: sql<boolean>`g.id is not null`,
      node_id: sql<number>`coalesce(g.node_id, t.node_id)`,
      min_disk_bytes: sql<number>`coalesce(${minDiskBytes}, t.min_disk_bytes)`,
    })
    .whereRef("t.id", "=", "o.id")
    .where("t.host_id", "=", hostId)
    .where(
      sql<boolean>`(t.active, t.node_id, t.min_disk_bytes)
        is distinct from (g.id is not null, coalesce(g.node_id, t.node_id), coalesce(${minDiskBytes}, t.min_disk_bytes))`,
    );

/** Part of a statement: the registered templates of a host. */
export const deletionOfHost = (hostId: number) => tables.deleteFrom("os_template").where("host_id", "=", hostId);

/** Part of a statement with a part `empty`, nodes: the templates that are registered there. */
export const deletionOfEmpty = tables
  .withTables<{ empty: { id: number } }>()
  .deleteFrom("os_template as t")
  .using("empty")
  .whereRef("t.node_id", "=", "empty.id");

/**
 * Condition, as text, on a template `t` and a node `n` of its host: the template's own node, or one that has all of its storages as
 * shared ones. The platform clones to another node only what lies on shared storage altogether.
 */
export const CAN_CLONE = `
  (n.id = t.node_id or exists (
    select 1 from guest tg where tg.host_id = t.host_id and tg.vmid = t.vmid and tg.gone_at is null
      and cardinality(tg.storages) > 0 and not exists (
        select 1 from unnest(tg.storages) as needed (name) where not exists (
          select 1 from storage s where s.node_id = n.id and s.name = needed.name and s.shared and s.active))))`;
