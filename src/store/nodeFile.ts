// Template files and ISO images on the storages of nodes, as they were observed.
import { sql } from "kysely";
import { records, replacing } from "./bulk.js";
import { tables, written, type Connection, type Row } from "./tables.js";

/** A file on a storage of a node, named by the node. */
interface ObservedFile {
  readonly node: string;
  readonly storage: string;
  readonly volid: string;
  readonly content: Row<"node_file">["content"];
  readonly sizeBytes: number;
}

interface ObservedFiles {
  readonly hostId: number;
  /** The nodes that were read; what is known of others stays. */
  readonly nodes: readonly string[];
  /** `<node>/<storage>` of those that could not be read: what is known of them stays. */
  readonly unread: readonly string[];
  readonly files: readonly ObservedFile[];
}

const SHAPE = { node: "text", storage: "text", volid: "text", content: "text", sizeBytes: "bigint" } as const;
const COLUMNS = ["node_id", "storage", "volid", "content", "size_bytes"] as const;
const REPLACED = replacing("node_file", ["size_bytes"]);

/** Writes the files of the nodes that were read; those that are no longer there go. */
export async function record(connection: Connection, { hostId, nodes, unread, files }: ObservedFiles): Promise<void> {
  const statement = tables
    .with("observed", (db) =>
      db
        .selectFrom(records<ObservedFile, "o">(sql`${JSON.stringify(files)}`, "o", SHAPE))
        .innerJoin("node as n", (join) => join.onRef("n.name", "=", "o.node").on("n.host_id", "=", hostId))
        .select(["n.id as node_id", "o.storage", "o.volid", "o.content", "o.sizeBytes as size_bytes"]),
    )
    .with("gone", (db) =>
      db
        .deleteFrom("node_file as f")
        .using("node as n")
        .whereRef("n.id", "=", "f.node_id")
        .where("n.host_id", "=", hostId)
        .where(sql<boolean>`n.name = any(${nodes}::text[])`)
        .where(sql<boolean>`n.name || '/' || f.storage <> all(${unread}::text[])`)
        .where(sql<boolean>`not exists (select from observed o where o.node_id = f.node_id and o.volid = f.volid)`),
    )
    .insertInto("node_file")
    .columns(COLUMNS)
    .expression((db) => db.selectFrom("observed").select(COLUMNS))
    .onConflict((conflict) => conflict.columns(["node_id", "volid"]).doUpdateSet(REPLACED.set).where(REPLACED.differs));
  await written(connection, statement);
}
