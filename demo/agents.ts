// Runs the on-host agent of every simulated node: the real program, told to act at the simulator's control address.
import { join } from "node:path";
import { startAgent, type RunningAgent } from "../agent/run.js";
import type { Log } from "../agent/log.js";
import type { Description } from "./files.js";

const quiet: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

export async function startAgents(described: Description, directory: string): Promise<readonly RunningAgent[]> {
  return Promise.all(
    described.agents.map(({ hostId, node, token }, index) => {
      const host = described.hosts.find(({ id }) => id === hostId);
      if (host === undefined) throw new Error(`the agent of ${node} belongs to no host`);
      return startAgent(
        {
          url: described.url,
          token,
          platform: "control",
          control: host.control,
          node,
          publicAddress: `203.0.113.${index + 10}`,
          stateDirectory: join(directory, "agents", `${host.name}-${node}`),
        },
        { log: quiet },
      );
    }),
  );
}
