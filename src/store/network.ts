// Networks of nodes, as they were observed.
import { sql } from "kysely";
import { records, replacing } from "./bulk.js";
import { tables, written, type Connection } from "./tables.js";

/** A network interface of a node, named by the node. */
interface ObservedNetwork {
  readonly node: string;
  readonly name: string;
  readonly type: string;
  readonly active: boolean;
  readonly cidr: string | null;
}

interface ObservedNetworks {
  readonly hostId: number;
  /** The nodes that were read; what is known of others stays. */
  readonly nodes: readonly string[];
  readonly networks: readonly ObservedNetwork[];
}

const SHAPE = { node: "text", name: "text", type: "text", active: "boolean", cidr: "text" } as const;
const COLUMNS = ["type", "active", "cidr"] as const;
const REPLACED = replacing("network", COLUMNS);

/** Writes the networks of the nodes that were read; those that they no longer have go. */
export async function record(connection: Connection, { hostId, nodes, networks }: ObservedNetworks): Promise<void> {
  const statement = tables
    .with("observed", (db) =>
      db
        .selectFrom(records<ObservedNetwork, "o">(sql`${JSON.stringify(networks)}`, "o", SHAPE))
        .innerJoin("node as n", (join) => join.onRef("n.name", "=", "o.node").on("n.host_id", "=", hostId))
        .select(["n.id as node_id", "o.name", "o.type", "o.active", "o.cidr"]),
    )
    .with("gone", (db) =>
      db
        .deleteFrom("network as w")
        .using("node as n")
        .whereRef("n.id", "=", "w.node_id")
        .where("n.host_id", "=", hostId)
        .where(sql<boolean>`n.name = any(${nodes}::text[])`)
        .where(sql<boolean>`not exists (select from observed o where o.node_id = w.node_id and o.name = w.name)`),
    )
    .insertInto("network")
    .columns(["node_id", "name", ...COLUMNS])
    .expression((db) => db.selectFrom("observed").select(["node_id", "name", ...COLUMNS]))
    .onConflict((conflict) => conflict.columns(["node_id", "name"]).doUpdateSet(REPLACED.set).where(REPLACED.differs));
  await written(connection, statement);
}
