// The program drover-agent: runs until it is told to stop, or does one of the operator's commands.
import { parseArguments, USAGE } from "./arguments.js";
import { messageOf } from "./check.js";
import { checkNode } from "./checkNode.js";
import type { AgentConfig } from "./config.js";
import { loadConfig, refuseOpenToken } from "./configFile.js";
import { createLog } from "./log.js";
import { createPlatform, startAgent } from "./run.js";
import { terminalText } from "./terminalText.js";
import { AGENT_VERSION } from "./version.js";

const BAD_USAGE = 2;

async function main(): Promise<void> {
  const { command, configPath } = parseArguments(process.argv.slice(2));
  if (command === "help") return print(USAGE);
  if (command === "version") return print(`drover-agent ${AGENT_VERSION} (Node.js ${process.versions.node})\n`);
  const config = await loadConfig(configPath);
  if (command === "remove-forwards") return await removeForwards(config);
  await refuseOpenToken(config, configPath);
  if (command === "check") return await check(config);
  await run(config);
}

async function run(config: AgentConfig): Promise<void> {
  const log = createLog();
  log.info(`drover-agent ${AGENT_VERSION} starts for ${config.url} (Node.js ${process.versions.node})`);
  const agent = await startAgent(config, { log });
  const stop = (): void => {
    log.info("drover-agent stops");
    agent.stop().catch((error: unknown) => fail(error));
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
}

async function check(config: AgentConfig): Promise<void> {
  const { report, healthy } = await checkNode(config);
  print(`${report.map(terminalText).join("\n")}\n`);
  if (!healthy) process.exitCode = 1;
}

async function removeForwards(config: AgentConfig): Promise<void> {
  const platform = createPlatform(config);
  try {
    await platform.applyForwards([]);
  } finally {
    platform.close();
  }
  print("All port forwards of Drover were removed from this node.\n");
}

function print(text: string): void {
  process.stdout.write(text);
}

function fail(error: unknown): void {
  process.stderr.write(`drover-agent: ${terminalText(messageOf(error))}\n`);
  process.exitCode = BAD_USAGE;
}

main().catch(fail);
