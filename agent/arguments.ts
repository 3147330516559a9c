// Reads the command line of drover-agent.
import { DEFAULT_CONFIG_PATH } from "./configFile.js";

interface Arguments {
  readonly command: "run" | "check" | "remove-forwards" | "version" | "help";
  readonly configPath: string;
}

const COMMANDS = ["run", "check", "remove-forwards", "version", "help"] as const;

export const USAGE = `Usage: drover-agent [command] [--config PATH]

Commands:
  run              send heartbeats and do jobs until stopped (default)
  check            look at this node, send one heartbeat, print what is wrong
  remove-forwards  take all port forwards of Drover off this node (stop the service first)

Options:
  --config PATH    configuration file (default ${DEFAULT_CONFIG_PATH})
  --version        print the version
  --help           print this help
`;

/** Reads the arguments after the program's name; throws with a one-line message for what it does not know. */
export function parseArguments(words: readonly string[]): Arguments {
  let command: Arguments["command"] | null = null;
  let configPath = DEFAULT_CONFIG_PATH;
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [name, attached] = splitOption(word);
    if (name === "--config") {
      configPath = attached ?? rest.shift() ?? "";
      if (configPath === "") throw new Error("--config needs a path");
      continue;
    }
    const known = COMMANDS.find((candidate) => candidate === word || `--${candidate}` === word);
    if (known === undefined || command !== null) throw new Error(`unexpected argument: ${word} (see --help)`);
    command = known;
  }
  return { command: command ?? "run", configPath };
}

function splitOption(word: string): [name: string, attached: string | undefined] {
  const at = word.startsWith("--") ? word.indexOf("=") : -1;
  return at === -1 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}
