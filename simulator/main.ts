// Runs one simulated Proxmox VE host until it is told to stop; prints where it is reached as one JSON line.
import { Command, InvalidArgumentError, Option } from "commander";
import type { TokenOptions } from "./create.js";
import type { RunningHost } from "./host.js";
import { startHost } from "./host.js";
import type { ScenarioName } from "./scenarios/scenarios.js";
import { scenarios } from "./scenarios/scenarios.js";
import { splitTokenId } from "./state/access.js";
import type { Release } from "./version.js";
import { releases } from "./version.js";

interface Options {
  name: string;
  port: number;
  controlPort: number;
  version: Release;
  token: TokenOptions[];
  rootPassword?: string;
  scenario: ScenarioName;
  nodes?: string[];
  timeFactor: number;
}

const nodeName = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/;

const program = new Command("simulator")
  .description("A simulated Proxmox VE host: HTTPS on loopback, with a control address.")
  .requiredOption("--name <name>", "host name, and node name of a standalone node", readNodeName)
  .option("--port <number>", "HTTPS port, 0 for a free one", readPort, 0)
  .option("--control-port <number>", "port of the control address, 0 for a free one", readPort, 0)
  .addOption(new Option("--version <release>", "release to behave like").choices(releases).default("9.2"))
  .option("--token <id=secret>", "API token with its user's rights; may be repeated", addToken, [])
  .option("--root-password <secret>", "password of root@pam; without it nobody can log in")
  .addOption(new Option("--scenario <name>", "what is on it").choices(Object.keys(scenarios)).default("empty"))
  .option("--nodes <names>", "comma-separated node names; several form a cluster", readNodeNames)
  .option("--time-factor <number>", "how many times faster than life tasks run", readFactor, 1)
  .action(run);

async function run(options: Options): Promise<void> {
  const host = await startHost({
    name: options.name,
    release: options.version,
    port: options.port,
    controlPort: options.controlPort,
    tokens: options.token,
    scenario: options.scenario,
    timeFactor: options.timeFactor,
    reportFault: (error) => process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`),
    ...(options.rootPassword === undefined ? {} : { rootPassword: options.rootPassword }),
    ...(options.nodes === undefined ? {} : { nodes: options.nodes }),
  });
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void stop(host));
  const { name, url, fingerprint, control, nodes } = host;
  process.stdout.write(`${JSON.stringify({ name, url, fingerprint, control, nodes, pid: process.pid })}\n`);
}

/** Tasks under way end with the process, as in a power cut. */
async function stop(host: RunningHost): Promise<void> {
  await host.close();
  process.exit(0);
}

function readNodeName(text: string): string {
  if (!nodeName.test(text)) throw new InvalidArgumentError("It must be a host name label.");
  return text;
}

function readNodeNames(text: string): string[] {
  const names = text.split(",").map(readNodeName);
  if (new Set(names).size !== names.length) throw new InvalidArgumentError("Node names must differ.");
  return names;
}

function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError("It must be a port number.");
  return port;
}

function readFactor(text: string): number {
  const factor = Number(text);
  if (!Number.isFinite(factor) || factor <= 0) throw new InvalidArgumentError("It must be a positive number.");
  return factor;
}

function addToken(text: string, tokens: TokenOptions[]): TokenOptions[] {
  const separator = text.lastIndexOf("=");
  const [id, secret] = [text.slice(0, Math.max(separator, 0)), text.slice(separator + 1)];
  if (splitTokenId(id) === null || secret === "") {
    throw new InvalidArgumentError("It must look like root@pam!panel=SECRET.");
  }
  return [...tokens, { id, secret }];
}

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
