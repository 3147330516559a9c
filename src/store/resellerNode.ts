// Nodes on which resellers may place guests.
import { sql } from "kysely";
import type { UserRole } from "../core/enums.js";
import { exists, rowOf, rowsOf, tables, written, type Connection } from "./tables.js";

interface AssignedNodes {
  readonly userId: number;
  readonly hostId: number;
  readonly nodes: readonly string[];
}

/** What decides whether nodes can be assigned. */
export interface AssignmentFacts {
  readonly hostExists: boolean;
  /** Null: there is no such user. */
  readonly role: UserRole | null;
  /** Names that no node of the host has. */
  readonly unknownNodes: readonly string[];
}

/** Looks up what decides whether nodes can be assigned, in one statement. */
export const assignmentFacts = (
  connection: Connection,
  { userId, hostId, nodes }: AssignedNodes,
): Promise<AssignmentFacts | null> =>
  rowOf(
    connection,
    tables.selectNoFrom((row) => [
      exists(row.selectFrom("host").select("id").where("id", "=", hostId)).as("hostExists"),
      row.selectFrom("user_account").select("role").where("id", "=", userId).as("role"),
      sql<string[]>`array(select wanted.name from unnest(${nodes}::text[]) as wanted (name)
        where not exists (select from node n where n.host_id = ${hostId} and n.name = wanted.name))`.as("unknownNodes"),
    ]),
  );

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

/** The nodes of a reseller. */
export const ofUser = (
  connection: Connection,
  userId: number,
): Promise<{ readonly hostId: number; readonly node: string }[]> =>
  rowsOf(
    connection,
    tables
      .selectFrom("reseller_node as r")
      .innerJoin("node as n", "n.id", "r.node_id")
      .select(["n.host_id as hostId", "n.name as node"])
      .where("r.user_id", "=", userId),
  );
