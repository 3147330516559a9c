// Has the source node's agent test whether the target's API port can be reached.
import type { Services } from "../context/context.js";
import type { Reachability } from "../core/migration/moveFacts.js";
import { DroverError } from "../errors/errors.js";
import { askAgent } from "../host/askAgent.js";

const CONNECT_MS = 4_000;
/** So long the agent is waited for. */
export const REACHABILITY_MS = 8_000;

/** Never fails: an agent that does not answer leaves it unproven, which counts as unreachable. */
export async function testReachability(
  services: Pick<Services, "pool" | "events">,
  nodeId: number,
  { host, port }: { host: string; port: number },
  signal?: AbortSignal,
): Promise<Reachability> {
  const payload = { host, port, timeout_ms: CONNECT_MS };
  const question = { nodeId, kind: "tcp_check", payload, timeoutMs: REACHABILITY_MS } as const;
  try {
    const { reachable, error } = await askAgent(services, signal === undefined ? question : { ...question, signal });
    return reachable ? { reachable } : { reachable, error: error ?? "no connection" };
  } catch (error) {
    if (!(error instanceof DroverError)) throw error;
    return { reachable: false, error: error.message };
  }
}
