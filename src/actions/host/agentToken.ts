// Makes the token of a node's agent; a new one replaces the old at once.
import { newBearerToken } from "../../access/bearerToken.js";
import type { Context } from "../../context.js";
import { notFound } from "../../errors.js";

export interface CreatedAgentToken {
  readonly hostId: number;
  readonly node: string;
  /** Shown once; only its hash is kept. */
  readonly value: string;
}

/** @throws DroverError notFound for an unknown host or node */
export async function createAgentToken(context: Context, hostId: number, node: string): Promise<CreatedAgentToken> {
  const { value, hash } = newBearerToken("agent");
  const { rowCount } = await context.pool.query(
    `insert into agent (node_id, token_hash) select id, $3 from node where host_id = $1 and name = $2
     on conflict (node_id) do update set token_hash = excluded.token_hash`,
    [hostId, node, hash],
  );
  if (rowCount === 0) throw notFound(`Node ${node} of host ${hostId}`);
  return { hostId, node, value };
}
