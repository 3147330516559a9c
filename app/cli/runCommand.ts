// Carries out one command of the command line, and says how it went.
import { Command, CommanderError, Help } from "commander";
import { ConfigError } from "../../src/config/configError.js";
import { DroverError } from "../../src/errors/errors.js";
import { terminalText } from "./terminalText.js";
import { RefusedInput } from "./values.js";

const FAILED = 1;
const USAGE = 2;

/** Loaded when they are asked for: simulations start without a database's libraries. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  host: async () => (await import("./host.js")).hostCommand(),
  token: async () => (await import("./token.js")).tokenCommand(),
  "agent-token": async () => (await import("./agentToken.js")).agentTokenCommand(),
  user: async () => (await import("./user.js")).userCommand(),
  "migrate-db": async () => (await import("./database.js")).databaseCommand(),
  "export-schema": async () => (await import("./schema.js")).schemaCommand(),
  drain: async () => (await import("./drain.js")).drainCommand(),
  secrets: async () => (await import("./secrets.js")).secretsCommand(),
  worker: async () => (await import("./worker.js")).workerCommand(),
  simulate: async () => (await import("./simulate.js")).simulateCommand(),
};

/** Answers go to standard output, one line of error to standard error. @returns the exit code: 0 done, 1 failed, 2 wrong usage or refused input */
export async function runCommand(given: readonly string[]): Promise<number> {
  const program = new Command("drover")
    .description("Operates Drover: virtualization management in front of Proxmox VE hosts")
    .showHelpAfterError(false);
  for (const load of wanted(given)) program.addCommand(await load());
  speakAlike(program);
  try {
    await program.parseAsync(given, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
    process.stderr.write(`drover: ${describe(error)}\n`);
    return isRefusal(error) ? USAGE : FAILED;
  }
}

/** The command that is named, or all of them: for help, and to say which there are. */
function wanted([name = ""]: readonly string[]): (() => Promise<Command>)[] {
  const named = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  return named === undefined ? Object.values(COMMANDS) : [named];
}

/** Faults take one line, and help marks mandatory options. Subcommands have settings of their own. */
function speakAlike(command: Command): void {
  command
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(`drover: ${oneLine(text.replace(/^error: /, ""))}\n`) })
    .configureHelp({
      optionDescription: (option) =>
        new Help().optionDescription(option) + (option.mandatory ? " (must be given)" : ""),
    });
  for (const inner of command.commands) speakAlike(inner);
}

const isRefusal = (error: unknown): boolean =>
  error instanceof RefusedInput ||
  error instanceof ConfigError ||
  (error instanceof DroverError && error.kind === "validation");

const describe = (error: unknown): string => oneLine(error instanceof Error ? error.message : String(error));

const oneLine = (text: string): string => terminalText(text.trim().replaceAll(/\s*\n\s*/g, " "));
