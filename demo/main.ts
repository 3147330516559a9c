// The demo: simulated hosts, the service with its own database, and an agent on every node, on one machine.
import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { Command, Option } from "commander";
import { eraseEmbeddedPostgres } from "../src/db/embedded.js";
import { makeDataDirectory } from "../src/db/embedded/dataDirectory.js";
import type { Lock } from "../src/db/embedded/lock.js";
import { createLogger } from "../src/observability/log.js";
import { DemoFiles, type Description } from "./files.js";
import { holdPart, PARTS, type Part } from "./parts.js";
import { startProgram, type Program } from "./programs.js";
import { startDemoService, type DemoService } from "./service.js";
import { stage } from "./stages.js";

interface Options {
  readonly fresh: boolean;
  readonly only?: Part;
}

await new Command("demo")
  .description("Runs Drover with three simulated Proxmox VE hosts.")
  .option("--fresh", "begin from nothing: everything that the demo kept is removed first", false)
  .addOption(new Option("--only <part>", "start just this part").choices(PARTS))
  .action(run)
  .parseAsync();

async function run({ fresh, only }: Options): Promise<void> {
  const directory = resolve(process.env["DROVER_DATA"] ?? ".drover");
  const files = new DemoFiles(directory);
  try {
    if (await files.areForeign())
      throw new Error(`${directory} holds other data than a demo's: name another in DROVER_DATA`);
    const held = await hold(directory, { fresh, only });
    if (fresh) await wipe(directory);
    await makeDataDirectory(directory);
    await start(files, held, only);
  } catch (error) {
    process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

/** The parts of this demo, locked. Neither may be another's when everything is removed. */
type HeldParts = ReadonlyMap<Part, Lock>;

/** The service alone begins nothing anew: its platform runs from the same directory. */
async function hold(directory: string, { fresh, only }: Options): Promise<HeldParts> {
  if (fresh && only === "service")
    throw new Error("--fresh erases the demo's data; it does not go with --only service");
  const held = new Map<Part, Lock>();
  for (const part of PARTS)
    if (fresh || only === undefined || part === only) held.set(part, await holdPart(part, directory));
  return held;
}

/** From the moment when it has ended, another demo may start it. */
function letGoAfter(program: Program, lock: Lock | undefined): void {
  void program.ended.then(() => lock?.release());
}

async function wipe(directory: string): Promise<void> {
  await eraseEmbeddedPostgres(directory, createLogger("error", "demo"));
  await rm(directory, { recursive: true, force: true });
}

async function start(files: DemoFiles, held: HeldParts, only: Options["only"]): Promise<void> {
  const began = performance.now();
  if (only === "platform") await held.get("service")?.release();
  const platform = only === "service" ? null : await startPlatform(files);
  if (platform !== null) letGoAfter(platform, held.get("platform"));
  stopOnSignals(() => [platform]);
  if (only === "platform") await tellPlatform(files);
  const service = only === "platform" ? null : await startServiceAfter(files, platform);
  if (service !== null) letGoAfter(service.program, held.get("service"));
  stopOnSignals(() => [service, platform]);
  if (service !== null) welcome(service.description, performance.now() - began);
  tellEnds([platform, service?.program ?? null]);
}

/** Of a whole demo, `demo.json` tells only when the service can be used too. */
async function tellPlatform(files: DemoFiles): Promise<void> {
  await files.publish();
  process.stdout.write("platform ready\n");
}

async function startPlatform(files: DemoFiles): Promise<Program> {
  const platform = startProgram({
    name: "platform",
    file: "demo/platform.js",
    arguments: [files.directory],
    directory: files.directory,
  });
  await stage("the simulated hosts start", () => platform.printed("platform ready"));
  return platform;
}

async function startServiceAfter(files: DemoFiles, platform: Program | null): Promise<DemoService> {
  try {
    return await startDemoService(files);
  } catch (error) {
    await platform?.stop();
    throw error;
  }
}

type Stoppable = { stop(): Promise<void> } | null;

/** In the order of who needs whom, once: npm passes on what the terminal sent to all already. */
function stopOnSignals(parts: () => readonly Stoppable[]): void {
  let stopping: Promise<void> | null = null;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.removeAllListeners(signal);
    process.on(signal, () => {
      stopping ??= stopAll(parts()).then(() => process.exit(0));
    });
  }
}

async function stopAll(parts: readonly Stoppable[]): Promise<void> {
  for (const part of parts) await part?.stop();
}

/**
 * A part that ends by itself, or is killed, leaves the others running: it can be started again with `--only`. A demo that has
 * none left ends, and has failed unless it was told to end.
 */
function tellEnds(programs: readonly (Program | null)[]): void {
  for (const program of programs) void program?.ended.then((code) => tellEnd(program.name, code));
}

function tellEnd(name: string, code: number | null): void {
  process.stdout.write(`The ${name} has ended (exit code ${code ?? "none"}).\n`);
  process.exitCode = 1;
}

function welcome({ url, graphql, admin, apiToken, hosts, agents }: Description, took: number): void {
  const nodes = agents.map(({ node }) => node).join(", ");
  process.stdout.write(`
Drover is ready (${(took / 1000).toFixed(1)} s): ${hosts.length} hosts, nodes ${nodes}.

  Dashboard ${url}/
  GraphQL   ${graphql}   (GraphiQL in a browser)
  REST      ${url}/api/v1
  Sign in   ${admin.username} / ${admin.password}
  API token ${apiToken}

  curl -H 'Authorization: Bearer ${apiToken}' ${url}/api/v1/hosts

Ctrl-C ends it; npm run demo -- --fresh begins from nothing.
`);
}
