// Has the agent of a node apply the node's port forwards.
import type { Pool, PoolClient } from "pg";
import { inTransaction } from "../../db/transaction.js";

/** A node that is away for longer gets them with the next change. */
const DEADLINE_DAYS = 30;

/** The agent replaces everything that it had: an order that still waits, or that failed, is outdated by this one. */
const ORDER = `
  with outdated as (
    delete from agent_job where node_id = $1 and kind = 'apply_port_forwards' and status = 'waiting'
  ), failed as (
    delete from agent_job where node_id = $1 and kind = 'apply_port_forwards' and status = 'failed'
  )
  insert into agent_job (node_id, kind, payload, deadline)
  select $1, 'apply_port_forwards', json_build_object('forwards', coalesce(json_agg(json_build_object(
      'id', f.id, 'protocol', f.protocol, 'public_port', f.public_port,
      'guest_address', host(f.guest_address), 'guest_port', f.guest_port) order by f.id), '[]')),
    now() + interval '${DEADLINE_DAYS} days'
  from port_forward f where f.node_id = $1`;

/** Orders it in the transaction that changed the forwards; its caller holds a lock on the node's row. */
export async function queuePortForwards(client: PoolClient, nodeId: number): Promise<void> {
  await client.query(ORDER, [nodeId]);
}

const FAILED = `
  select node_id as "nodeId" from agent_job
  where kind = 'apply_port_forwards' and status = 'failed' and finished_at < service_now() - interval '1 minute'`;

/**
 * Orders again what agents could not apply, a minute later: else a port that was closed would stay open.
 * @returns of how many nodes
 */
export async function repeatFailedForwards(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ nodeId: number }>(FAILED);
  for (const { nodeId } of rows) {
    await inTransaction(pool, async (client) => {
      await client.query(`select 1 from node where id = $1 for no key update`, [nodeId]);
      await queuePortForwards(client, nodeId);
    });
  }
  return rows.length;
}
