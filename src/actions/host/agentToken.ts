// Makes the token of a node's agent; a new one replaces the old at once.
import { newBearerToken } from "../../access/bearerToken.js";
import type { Context } from "../../context/context.js";
import { inTransaction } from "../../db/transaction.js";
import { notFound } from "../../errors/errors.js";
import { queuePortForwards } from "./applyPortForwards.js";

export interface CreatedAgentToken {
  readonly hostId: number;
  readonly node: string;
  /** Shown once; only its hash is kept. */
  readonly value: string;
}

/**
 * The agent is told all forwards of its node: one that was installed anew has none, and a node of a host that was removed and
 * added again has those of before.
 * @throws DroverError notFound for an unknown host or node
 */
export async function createAgentToken(context: Context, hostId: number, node: string): Promise<CreatedAgentToken> {
  const { value, hash } = newBearerToken("agent");
  await inTransaction(context.pool, async (client) => {
    const { rows } = await client.query<{ id: number }>(
      `select id from node where host_id = $1 and name = $2 for no key update`,
      [hostId, node],
    );
    const [found] = rows;
    if (found === undefined) throw notFound(`Node ${node} of host ${hostId}`);
    await client.query(
      `insert into agent (node_id, token_hash) values ($1, $2)
       on conflict (node_id) do update set token_hash = excluded.token_hash`,
      [found.id, hash],
    );
    await queuePortForwards(client, found.id);
  });
  return { hostId, node, value };
}
