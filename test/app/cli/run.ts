// Runs the command line: as an operator does, as a process, or in this process, where only what it prints and does counts.
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { runCommand } from "../../../app/cli/runCommand.js";

const COMMAND = fileURLToPath(new URL("../../../../bin/drover.js", import.meta.url));

export interface Ran {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Runs it for a reader who hangs up at once. @param input what it reads from standard input */
export async function runUnread(given: readonly string[], input: string): Promise<Omit<Ran, "output">> {
  const child = spawn(process.execPath, [COMMAND, ...given], { env: passedOn() });
  child.stdout.destroy();
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [errors, code] = await Promise.all([text(child.stderr), ended]);
  return { code, errors };
}

/** @param input what it reads from standard input; @param directory where it is started */
export async function run(
  given: readonly string[],
  environment: NodeJS.ProcessEnv,
  input = "",
  directory = process.cwd(),
): Promise<Ran> {
  const env = { ...passedOn(), ...environment };
  const child = spawn(process.execPath, [COMMAND, ...given], { cwd: directory, env });
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, output, errors };
}

/** The same in this process, at a fraction of the time; one at a time, and no command that reads standard input. */
export async function runHere(
  given: readonly string[],
  environment: NodeJS.ProcessEnv,
  directory = process.cwd(),
): Promise<Ran> {
  const { env: before } = process;
  const home = process.cwd();
  process.env = { PATH: before["PATH"], ...environment };
  process.chdir(directory);
  const [output, errors] = [written(process.stdout), written(process.stderr)];
  try {
    const code = await runCommand(given);
    return { code, output: output.text(), errors: errors.text() };
  } finally {
    output.end();
    errors.end();
    process.env = before;
    process.chdir(home);
  }
}

/** Keeps what is written to a stream of this process instead of writing it. */
function written(stream: NodeJS.WriteStream): { readonly text: () => string; readonly end: () => void } {
  let kept = "";
  // The stream's own is inherited: without this one it is there again.
  stream.write = (chunk: string | Uint8Array): boolean => {
    kept += String(chunk);
    return true;
  };
  return { text: () => kept, end: () => Reflect.deleteProperty(stream, "write") };
}

/** What a program takes over: how it is found, and what measures or changes its code, as mutation tests do. */
function passedOn(): NodeJS.ProcessEnv {
  const names = ["PATH", "NODE_OPTIONS", "NODE_V8_COVERAGE", "DROVER_MUTANT"];
  return Object.fromEntries(names.map((name) => [name, process.env[name]]));
}
