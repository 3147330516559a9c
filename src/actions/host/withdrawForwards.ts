// Removes the port forwards of guests that no longer exist from their nodes.
import type { PoolClient } from "pg";
import { queuePortForwards } from "./applyPortForwards.js";

/** Deletes them and has each node's agent apply what is left. Repeatable. */
export async function withdrawForwards(client: PoolClient, guestIds: readonly number[]): Promise<void> {
  // The forwards of one node change one after the other: what its agent is told is always a whole set.
  const { rows } = await client.query<{ nodeId: number }>(
    `select n.id as "nodeId" from node n
     where n.id in (select node_id from port_forward where guest_id = any($1)) order by n.id for no key update`,
    [guestIds],
  );
  await client.query(`delete from port_forward where guest_id = any($1)`, [guestIds]);
  for (const { nodeId } of rows) await queuePortForwards(client, nodeId);
}
