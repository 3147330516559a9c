// Runs the command line as an operator does: as a process.
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const COMMAND = fileURLToPath(new URL("../../../../bin/drover.js", import.meta.url));

export interface Ran {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Runs it for a reader who hangs up at once. @param input what it reads from standard input */
export async function runUnread(given: readonly string[], input: string): Promise<Omit<Ran, "output">> {
  const child = spawn(process.execPath, [COMMAND, ...given], { env: { PATH: process.env["PATH"] } });
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
  const env = { PATH: process.env["PATH"], ...environment };
  const child = spawn(process.execPath, [COMMAND, ...given], { cwd: directory, env });
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, output, errors };
}
