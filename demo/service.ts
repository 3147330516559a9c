// Runs the service of the demo with its embedded database, furnishes it, and lets the nodes' agents report.
import { randomBytes } from "node:crypto";
import { createServer } from "node:net";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { RunningAgent } from "../agent/run.js";
import { startAgents } from "./agents.js";
import { followDatabasePid } from "./databasePid.js";
import type { DemoFiles, Description } from "./files.js";
import { furnish, isFurnished } from "./furnish.js";
import { signIn, type Ask } from "./graphqlClient.js";
import { startProgram, type Program } from "./programs.js";

const DEFAULT_PORT = 4000;
const READY_LOOK_MS = 100;
const REPORT_MS = 15_000;
const FREED_MS = 3_000;

export interface DemoService {
  readonly program: Program;
  readonly description: Description;
  stop(): Promise<void>;
}

/** Waits for the platform if there is anything to furnish. Resolves when the service is ready, furnished, and has heard of every agent that has anything to say. */
export async function startDemoService(files: DemoFiles): Promise<DemoService> {
  const port = await portToUse();
  await platformReady(files);
  const { admin: known } = await files.describe();
  const admin = { ...known, password: known.password || randomBytes(9).toString("base64url") };
  const url = `http://127.0.0.1:${port}`;
  const program = startProgram({
    name: "service",
    file: "app/main.js",
    directory: files.directory,
    environment: {
      PORT: String(port),
      DROVER_DATA: files.directory,
      DROVER_ADMIN_PASSWORD: admin.password,
      // Whatever database the shell names: simulated hosts belong into the demo's own.
      DATABASE_URL: "",
    },
  });
  try {
    return await furnished(files, program, { url, admin });
  } catch (error) {
    await program.stop();
    throw error;
  }
}

async function furnished(
  files: DemoFiles,
  program: Program,
  { url, admin }: Pick<Description, "url" | "admin">,
): Promise<DemoService> {
  await Promise.race([ready(url), endedEarly(program, files)]);
  const graphql = `${url}/graphql`;
  await files.change({ url, graphql, subscriptions: graphql.replace(/^http/, "ws"), admin });
  const ask = await signIn(graphql, admin.username, admin.password);
  await furnish(ask, files);
  const description = await files.change(({ pids }) => ({ pids: { ...pids, service: program.pid } }));
  const ended = new AbortController();
  void program.ended.then(() => ended.abort());
  const agents = await startAgents(description, files.directory);
  await allReported(ask, description);
  await followDatabasePid(files, ended.signal);
  // Agents without a service would only knock on a closed door.
  const silenced = program.ended.then(() => stopAgents(agents));
  return {
    program,
    description,
    async stop() {
      await stopAgents(agents);
      await program.stop();
      await silenced;
    },
  };
}

const reported = z.object({
  nodes: z.object({
    items: z.array(z.object({ name: z.string(), agent: z.object({ current: z.boolean() }).nullable() })),
  }),
});

/** The first heartbeats come within a moment. Silent stay agents of nodes that are down, or whose token was replaced: that is told. */
async function allReported(ask: Ask, { agents }: Description): Promise<void> {
  const giveUp = Date.now() + REPORT_MS;
  for (const { hostId, node } of agents) {
    for (;;) {
      const { nodes } = await ask(
        `query ($hostId: Int!) { nodes(hostId: $hostId, perPage: 200) { items { name agent { current } } } }`,
        { hostId },
        reported,
      );
      if (nodes.items.find(({ name }) => name === node)?.agent?.current) break;
      if (Date.now() > giveUp) {
        process.stderr.write(`demo: the agent of ${node} does not report\n`);
        break;
      }
      await delay(READY_LOOK_MS);
    }
  }
}

async function stopAgents(agents: readonly RunningAgent[]): Promise<void> {
  await Promise.all(agents.map((agent) => agent.stop()));
}

async function endedEarly(program: Program, { directory }: DemoFiles): Promise<never> {
  const code = await program.ended;
  throw new Error(`the service ended with exit code ${code ?? "none"}; see ${directory}/service.log`);
}

/** A service that was furnished before does without. */
async function platformReady(files: DemoFiles): Promise<void> {
  for (let isTold = false; ; isTold = true) {
    const described = await files.describe();
    if (isFurnished(described) || (await arePlatformsUp(described))) return;
    if (!isTold) process.stdout.write("The service waits for its platform: npm run demo -- --only platform\n");
    await delay(READY_LOOK_MS);
  }
}

async function arePlatformsUp({ hosts }: Description): Promise<boolean> {
  const answers = hosts.map(({ control }) => fetch(`${control}/state`).catch(() => null));
  return hosts.length > 0 && (await Promise.all(answers)).every((answer) => answer?.ok === true);
}

async function ready(url: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/readyz`).catch(() => null);
    if (answer?.ok) return;
    await delay(READY_LOOK_MS);
  }
}

/** `PORT` as given, 0 for a free one; without it the usual port, or a free one when that is taken. */
async function portToUse(): Promise<number> {
  const { PORT = "" } = process.env;
  if (PORT === "0") return freePort(0);
  if (PORT === "") return (await freePort(DEFAULT_PORT).catch(() => null)) ?? freePort(0);
  return freedPort(Number(PORT));
}

/** A service that was killed a moment ago may still hold it; what another one answers there must not be taken for ours. */
async function freedPort(wanted: number): Promise<number> {
  const giveUp = Date.now() + FREED_MS;
  for (;;) {
    try {
      return await freePort(wanted);
    } catch (error) {
      if (Date.now() > giveUp)
        throw new Error(`port ${wanted} cannot be used: is it taken? PORT names another`, { cause: error });
      await delay(READY_LOOK_MS);
    }
  }
}

async function freePort(wanted: number): Promise<number> {
  const server = createServer().listen({ port: wanted, host: "127.0.0.1" });
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port is free");
  return address.port;
}
