// Runs the service of the demo with its embedded database, furnishes it, and lets the nodes' agents report.
import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { allReported, startAgents, stopAgents } from "./agents.js";
import { followDatabasePid } from "./databasePid.js";
import type { DemoFiles, Description } from "./files.js";
import { furnish, isFurnished } from "./furnish.js";
import { graphqlClient, repeated, signIn, type Ask, type Connection } from "./graphqlClient.js";
import { startProgram, type Program } from "./programs.js";
import { ANY_PORT, choosePort, isPortTaken, portRefusal, type PortChoice } from "./servicePort.js";
import { stage, type Note } from "./stages.js";

const READY_LOOK_MS = 100;

export interface DemoService {
  readonly program: Program;
  readonly description: Description;
  stop(): Promise<void>;
}

/**
 * Waits for the platform if there is anything to furnish. Resolves when the service is ready, furnished, and has a heartbeat of every agent
 * that sends any, however long that takes. @throws Error when the service ends before
 */
export async function startDemoService(files: DemoFiles): Promise<DemoService> {
  const port = await choosePort();
  await platformReady(files);
  const { admin: known } = await files.describe();
  const admin = { ...known, password: known.password || randomBytes(9).toString("base64url") };
  const started = await startService(files, admin, port);
  try {
    return await furnished(files, started, admin);
  } catch (error) {
    await started.program.stop();
    throw error;
  }
}

interface StartedService {
  readonly program: Program;
  readonly url: string;
}

async function startService(
  files: DemoFiles,
  admin: Description["admin"],
  { port, isNamed }: PortChoice,
): Promise<StartedService> {
  const program = startProgram({
    name: "service",
    file: "app/main.js",
    directory: files.directory,
    environment: {
      PORT: String(port),
      DROVER_DATA: files.directory,
      DROVER_ADMIN_PASSWORD: admin.password,
      // The simulated hosts are on this machine.
      DROVER_PRIVATE_HOSTS: "127.0.0.1",
      // Whatever database the shell names: simulated hosts belong into the demo's own.
      DATABASE_URL: "",
    },
  });
  try {
    return {
      program,
      url: await stage("the service starts, the first time with a new database", () => program.ready()),
    };
  } catch (error) {
    if (!isPortTaken(error)) throw error;
    if (isNamed) throw portRefusal(port);
    return startService(files, admin, ANY_PORT);
  }
}

async function furnished(
  files: DemoFiles,
  { program, url }: StartedService,
  admin: Description["admin"],
): Promise<DemoService> {
  const graphql = `${url}/graphql`;
  const known = await files.change({ url, graphql, subscriptions: graphql.replace(/^http/, "ws"), admin });
  const ask = await stage("the admin signs in", () => authenticate({ url: graphql, over: program.over }, known));
  await stage("hosts, templates, customers and tokens are made", (note) => furnishWhole(ask, files, { program, note }));
  const description = await files.change(({ pids }) => ({ pids: { ...pids, service: program.pid } }));
  const agents = await startAgents(description, files.directory);
  await stage("the agents report", (note) => allReported(ask, agents, note));
  await followDatabasePid(files, program.over);
  // Without a service, agents would only fail.
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

/** By the token of an earlier start, if it counts: the admin may have another password by now, or a second factor. */
async function authenticate(
  service: Omit<Connection, "token">,
  { apiToken, admin }: Pick<Description, "apiToken" | "admin">,
): Promise<Ask> {
  const known = graphqlClient({ ...service, token: apiToken });
  const counts =
    apiToken !== "" &&
    (await known("{ viewer { permissions } }", {}, z.unknown()).then(
      () => true,
      () => false,
    ));
  return counts ? known : signIn(service, admin);
}

/** After a change whose outcome is unknown it begins again, and looks at what is there. */
const furnishWhole = (
  ask: Ask,
  files: DemoFiles,
  { program, note }: { readonly program: Program; readonly note: Note },
): Promise<Description> =>
  repeated(
    () => furnish(ask, files),
    program.over,
    ({ message }) => {
      note(message);
      return true;
    },
  );

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
