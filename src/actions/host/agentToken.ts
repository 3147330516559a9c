// Makes the token of a node's agent; a new one replaces the old at once.
import { newAccessToken } from "../../access/accessToken.js";
import type { Context } from "../../context/context.js";
import { inTransaction } from "../../db/transaction.js";
import { notFound } from "../../errors/errors.js";
import * as agents from "../../store/agent.js";
import * as agentJobs from "../../store/agentJob.js";
import * as nodes from "../../store/node.js";

export interface NewAgentToken {
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
export async function createAgentToken(context: Context, hostId: number, node: string): Promise<NewAgentToken> {
  const { value, hash } = newAccessToken("agent");
  await inTransaction(context.pool, async (client) => {
    const nodeId = await nodes.lockByName(client, hostId, node);
    if (nodeId === null) throw notFound(`Node ${node} of host ${hostId}`);
    await agents.setToken(client, nodeId, hash);
    await agentJobs.orderForwards(client, nodeId);
  });
  return { hostId, node, value };
}
