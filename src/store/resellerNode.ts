// Nodes on which resellers may place guests.
import { sql } from "kysely";
import { tables, written, type Connection } from "./tables.js";

interface AssignedNodes {
  readonly userId: number;
  readonly hostId: number;
  readonly nodes: readonly string[];
}

/** Assigns the nodes of one host that a reseller is to have; those of other hosts stay. Two statements. */
export async function replace(connection: Connection, { userId, hostId, nodes }: AssignedNodes): Promise<void> {
  const remove = tables
    .deleteFrom("reseller_node as r")
    .using("node as n")
    .whereRef("n.id", "=", "r.node_id")
    .where("r.user_id", "=", userId)
    .where("n.host_id", "=", hostId)
    .where(sql<boolean>`n.name <> all(${nodes}::text[])`);
  const assigned = tables
    .selectFrom("node")
    .select([sql<number>`${userId}::integer`.as("user_id"), "id"])
    .where("host_id", "=", hostId)
    .where(sql<boolean>`name = any(${nodes}::text[])`);
  const insert = tables
    .insertInto("reseller_node")
    .columns(["user_id", "node_id"])
    .expression(assigned)
    .onConflict((conflict) => conflict.doNothing());
  await written(connection, remove);
  await written(connection, insert);
}
