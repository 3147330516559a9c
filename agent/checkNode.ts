// Tells an operator whether the agent would work here: the node's own state and one heartbeat.
import { messageOf } from "./check.js";
import type { AgentConfig } from "./config.js";
import { toHeartbeat } from "./heartbeat.js";
import { createPlatform, createServiceClient } from "./run.js";
import { ServerClock } from "./serverClock.js";
import { Service } from "./service.js";

interface NodeCheck {
  /** Lines for people. */
  readonly report: readonly string[];
  readonly healthy: boolean;
}

/** Looks at the node and sends one heartbeat. Jobs of its answer are left for the running agent. */
export async function checkNode(config: AgentConfig): Promise<NodeCheck> {
  const platform = createPlatform(config);
  const client = await createServiceClient(config);
  try {
    const observation = await platform.observe();
    if (observation === null) return { report: [`node ${config.node} is off`], healthy: false };
    const service = new Service({ config, client, clock: new ServerClock() });
    const problems = [...observation.problems];
    const answer = await service.beat(toHeartbeat(observation, problems, []), 0).then(
      ({ node }) => `the service answers and knows this node as ${node ?? "?"}`,
      (error: unknown) => {
        problems.push(`no heartbeat possible: ${messageOf(error)}`);
        return null;
      },
    );
    const memory = `${observation.memoryUsedMb} of ${observation.memoryMb} MB`;
    const report = [
      `Proxmox VE ${observation.hypervisorVersion ?? "unknown"}, memory used ${memory}, CPU ${(observation.cpuUsage * 100).toFixed(1)} %`,
      `port forwards: ${observation.natConfigured ? `published on ${observation.publicAddress ?? "?"}` : "off"}`,
      ...(answer === null ? [] : [answer]),
      ...problems.map((problem) => `problem: ${problem}`),
    ];
    return { report, healthy: problems.length === 0 };
  } finally {
    client.close();
    platform.close();
  }
}
