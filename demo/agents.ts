// Runs the on-host agent of every simulated node: the real program, with the simulator's control address as its platform.
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { startAgent, type RunningAgent } from "../agent/run.js";
import { AgentReport } from "./agentReport.js";
import type { Description } from "./files.js";
import type { Ask } from "./graphqlClient.js";
import type { Note } from "./stages.js";

const LOOK_MS = 200;

export interface DemoAgent extends RunningAgent {
  readonly hostId: number;
  readonly node: string;
  readonly report: AgentReport;
}

export async function startAgents(described: Description, directory: string): Promise<readonly DemoAgent[]> {
  return Promise.all(
    described.agents.map(async ({ hostId, node, token }, index) => {
      const host = described.hosts.find(({ id }) => id === hostId);
      if (host === undefined) throw new Error(`the agent of ${node} belongs to no host`);
      const report = new AgentReport();
      const agent = await startAgent(
        {
          url: described.url,
          token,
          platform: "control",
          control: host.control,
          node,
          publicAddress: `203.0.113.${index + 10}`,
          stateDirectory: join(directory, "agents", `${host.name}-${node}`),
        },
        { log: report.log },
      );
      return { hostId, node, report, stop: () => agent.stop() };
    }),
  );
}

export async function stopAgents(agents: readonly DemoAgent[]): Promise<void> {
  await Promise.all(agents.map((agent) => agent.stop()));
}

/** Waits until the service has a heartbeat of every agent, but for those that will send none: their nodes and reasons are printed. */
export async function allReported(ask: Ask, agents: readonly DemoAgent[], note: Note): Promise<void> {
  let missing = agents;
  for (;;) {
    const unheard = [];
    for (const agent of missing) if (!(await isCurrent(ask, agent))) unheard.push(agent);
    missing = unheard.filter(({ node, report }) => {
      if (report.silence !== null)
        process.stderr.write(`demo: the agent of ${node} does not report: ${report.silence}\n`);
      return report.silence === null;
    });
    if (missing.length === 0) return;
    note(missing.map(({ node, report }) => `${node}: ${report.last || "no answer yet"}`).join("; "));
    await delay(LOOK_MS);
  }
}

const reported = z.object({
  nodes: z.object({
    items: z.array(z.object({ name: z.string(), agent: z.object({ current: z.boolean() }).nullable() })),
  }),
});

async function isCurrent(ask: Ask, { hostId, node }: DemoAgent): Promise<boolean> {
  const { nodes } = await ask(
    `query ($hostId: Int!) { nodes(hostId: $hostId, perPage: 200) { items { name agent { current } } } }`,
    { hostId },
    reported,
  );
  return nodes.items.find(({ name }) => name === node)?.agent?.current ?? false;
}
