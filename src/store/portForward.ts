// Port forwards of nodes. Those of one node change one after the other, under the lock of its row: its agent gets whole sets.
import { sql } from "kysely";
import type { Pool } from "pg";
import { inTransaction } from "../db/transaction.js";
import * as agentJobs from "./agentJob.js";
import * as nodes from "./node.js";
import { rowOf, rowsOf, tables, written, type Connection, type Row } from "./tables.js";

interface NewForward {
  readonly nodeId: number;
  readonly guestId: number;
  readonly protocol: Row<"port_forward">["protocol"];
  readonly publicPort: number;
  readonly guestPort: number;
  /** IPv4. */
  readonly guestAddress: string;
}

/** The node that a forward of these hosts (null: all) is on. @returns null when there is no such forward */
export async function nodeOf(
  connection: Connection,
  id: number,
  hostIds: readonly number[] | null,
): Promise<number | null> {
  const forward = tables
    .selectFrom("port_forward as f")
    .innerJoin("node as n", "n.id", "f.node_id")
    .select("f.node_id as nodeId")
    .where("f.id", "=", id)
    .where(sql<boolean>`(${hostIds}::int[] is null or n.host_id = any(${hostIds}::int[]))`);
  return (await rowOf(connection, forward))?.nodeId ?? null;
}

interface PortRange extends Pick<NewForward, "nodeId" | "protocol"> {
  readonly from: number;
  readonly to: number;
}

/** The lowest public port of a range that no forward of a node has. The caller has locked the node. @returns null when all are taken */
export async function freePort(
  connection: Connection,
  { nodeId, protocol, from, to }: PortRange,
): Promise<number | null> {
  const ports = sql<{ port: number }>`generate_series(${from}::int, ${to}::int)`.as<"ports">(sql`ports (port)`);
  const taken = tables
    .selectFrom("port_forward as f")
    .select("f.id")
    .where("f.node_id", "=", nodeId)
    .where("f.protocol", "=", protocol)
    .where("f.public_port", "=", sql.ref<number>("ports.port"));
  const free = tables
    .selectFrom(ports)
    .select("port")
    .where((row) => row.not(row.exists(taken)))
    .orderBy("port")
    .limit(1);
  return (await rowOf(connection, free))?.port ?? null;
}

/** The caller has locked the node. @returns the id; null when the public port is taken */
export async function insert(connection: Connection, forward: NewForward): Promise<number | null> {
  const { nodeId, guestId, protocol, publicPort, guestPort, guestAddress } = forward;
  const row = {
    node_id: nodeId,
    guest_id: guestId,
    protocol,
    public_port: publicPort,
    guest_port: guestPort,
    guest_address: guestAddress,
  };
  const insertion = tables
    .insertInto("port_forward")
    .values(row)
    .onConflict((conflict) => conflict.columns(["node_id", "protocol", "public_port"]).doNothing())
    .returning("id");
  return (await rowOf(connection, insertion))?.id ?? null;
}

/** Removes forwards from a node, which the caller has locked. @returns how many of them were on it */
export function remove(connection: Connection, ids: readonly number[], nodeId: number): Promise<number> {
  const isNamed = sql<boolean>`id = any(${ids}::integer[])`;
  return written(connection, tables.deleteFrom("port_forward").where(isNamed).where("node_id", "=", nodeId));
}

interface Moved {
  readonly id: number;
  readonly nodeId: number;
  readonly publicPort: number;
  /** The address that the guest had, and the one that it has now; of another one a forward keeps to. */
  readonly address: { readonly before: string | null; readonly after: string | null };
}

/** Moves a forward to another node. The caller has locked both nodes. */
export async function move(connection: Connection, { id, nodeId, publicPort, address }: Moved): Promise<void> {
  const guestAddress = sql<string>`case when host(guest_address) = ${address.before}::text
    then ${address.after}::inet else guest_address end`;
  const update = tables
    .updateTable("port_forward")
    .set({ node_id: nodeId, public_port: publicPort, guest_address: guestAddress })
    .where("id", "=", id);
  await written(connection, update);
}

/** Locks the node of a guest and those of its forwards, in the order of their ids. */
export async function lockNodesOf(connection: Connection, guestId: number): Promise<void> {
  const concerned = tables
    .selectFrom("node")
    .select("id")
    .where((row) =>
      row.or([
        row("id", "=", row.selectFrom("guest").select("node_id").where("id", "=", guestId)),
        row("id", "in", row.selectFrom("port_forward").select("node_id").where("guest_id", "=", guestId)),
      ]),
    )
    .orderBy("id")
    .forNoKeyUpdate();
  await rowsOf(connection, concerned);
}

/** Forwards of a guest on a node, by ascending id. */
export const ofGuest = (
  connection: Connection,
  { guestId, nodeId }: Pick<NewForward, "guestId" | "nodeId">,
): Promise<Pick<Row<"port_forward">, "id" | "protocol">[]> =>
  rowsOf(
    connection,
    tables
      .selectFrom("port_forward")
      .select(["id", "protocol"])
      .where("guest_id", "=", guestId)
      .where("node_id", "=", nodeId)
      .orderBy("id"),
  );

/** Part of a statement: forwards of a guest, but for these. */
export const othersOfGuest = (guestId: number, ids: readonly number[]) =>
  tables
    .selectFrom("port_forward")
    .select("id")
    .where("guest_id", "=", guestId)
    .where(sql<boolean>`id <> all(${ids}::integer[])`);

/** A port of a node that leads to a guest. */
interface PublicPort extends Pick<NewForward, "protocol"> {
  readonly port: number;
}

/** Public ports of a node that are taken. */
export const portsOfNode = (connection: Connection, nodeId: number): Promise<PublicPort[]> =>
  rowsOf(
    connection,
    tables.selectFrom("port_forward").select(["protocol", "public_port as port"]).where("node_id", "=", nodeId),
  );

/** Guests with forwards that have been gone for some minutes: until then one may come back, as its addresses and its owner do. @returns ids */
export async function guestsLongGone(connection: Connection, now: Date): Promise<number[]> {
  const guests = tables
    .selectFrom("port_forward as f")
    .innerJoin("guest as g", "g.id", "f.guest_id")
    .select("f.guest_id as id")
    .distinct()
    .where(sql<boolean>`g.gone_at < ${now}::timestamptz - interval '5 minutes'`);
  return (await rowsOf(connection, guests)).map(({ id }) => id);
}

/** Removes all forwards of guests that no longer exist, and orders what is left from the agents of their nodes. Repeatable. */
export async function withdraw(connection: Connection, guestIds: readonly number[]): Promise<void> {
  const isOfGuests = sql<boolean>`guest_id = any(${guestIds}::integer[])`;
  const concerned = tables
    .selectFrom("node")
    .select("id")
    .where("id", "in", (db) => db.selectFrom("port_forward").select("node_id").where(isOfGuests))
    .orderBy("id")
    .forNoKeyUpdate();
  const locked = await rowsOf(connection, concerned);
  await written(connection, tables.deleteFrom("port_forward").where(isOfGuests));
  for (const { id } of locked) await agentJobs.orderForwards(connection, id);
}

const FAILED = sql<Pick<Row<"agent_job">, "node_id">>`
  select node_id from agent_job
  where kind = 'apply_port_forwards' and status = 'failed' and finished_at < service_now() - interval '1 minute'`;

/**
 * Orders again what agents could not apply, a minute later: else a port that was closed would stay open.
 * @returns of how many nodes
 */
export async function repeatFailed(pool: Pool): Promise<number> {
  const failed = await rowsOf(pool, FAILED);
  for (const { node_id: nodeId } of failed) {
    await inTransaction(pool, async (client) => {
      await nodes.lock(client, [nodeId]);
      await agentJobs.orderForwards(client, nodeId);
    });
  }
  return failed.length;
}
