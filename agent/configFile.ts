// Loads the configuration file and the token from the node's disk.
import { promises as fs } from "node:fs";
import { hostname } from "node:os";
import { messageOf } from "./check.js";
import type { AgentConfig } from "./config.js";
import { ConfigError, parseConfig } from "./config.js";

export const DEFAULT_CONFIG_PATH = "/etc/drover-agent.json";
const DEFAULT_STATE_DIRECTORY = "/var/lib/drover-agent";

/** Reads and validates the configuration file; throws {@link ConfigError} for whatever is wrong with it. */
export async function loadConfig(path: string): Promise<AgentConfig> {
  const text = await readText(path);
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, and the text holds the token.
    throw new ConfigError([`${path} is not valid JSON`]);
  }
  return parseConfig(input, {
    node: hostname().split(".")[0] ?? "",
    stateDirectory: DEFAULT_STATE_DIRECTORY,
  });
}

/** Reading and writing, by the file's group and by everybody else. */
const OPEN_TO_OTHERS = 0o066;

/** Throws {@link ConfigError} when other users of the node can read or change the file that holds the token. */
export async function refuseOpenToken({ token, tokenFile }: AgentConfig, configPath: string): Promise<void> {
  if (token !== undefined) await refuseOpen(configPath);
  else if (tokenFile !== undefined && (await isThere(tokenFile))) await refuseOpen(tokenFile);
}

async function refuseOpen(path: string): Promise<void> {
  const { mode } = await fs.stat(path);
  if ((mode & OPEN_TO_OTHERS) === 0) return;
  throw new ConfigError([`${path} holds the token, and other users can read or change it: chmod 600 ${path}`]);
}

/** A token that is not there yet is said at every heartbeat. */
async function isThere(path: string): Promise<boolean> {
  return fs.access(path).then(
    () => true,
    () => false,
  );
}

/** The agent's token, from the configuration or from its file. */
export async function readToken(config: AgentConfig): Promise<string> {
  if (config.token !== undefined) return config.token;
  if (config.tokenFile === undefined) throw new ConfigError(["token or token_file is missing"]);
  await refuseOpen(config.tokenFile);
  const token = (await fs.readFile(config.tokenFile, "utf8")).trim();
  if (!/^[\x21-\x7e]+$/.test(token)) throw new ConfigError([`${config.tokenFile} does not hold a token`]);
  return token;
}

async function readText(path: string): Promise<string> {
  try {
    return await fs.readFile(path, "utf8");
  } catch (error) {
    throw new ConfigError([`${path} cannot be read: ${messageOf(error)}`]);
  }
}
