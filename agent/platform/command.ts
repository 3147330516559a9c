// Runs one program of the node without a shell, with a time limit and a minimal environment.
import { execFile } from "node:child_process";
import type { ExecFileException } from "node:child_process";

export interface Command {
  /** Program (an absolute path) and its arguments. */
  readonly line: readonly [program: string, ...rest: string[]];
  readonly timeoutMs: number;
}

/** Runs the command and returns its standard output; throws with what it said when it fails. */
export type RunCommand = (command: Command) => Promise<string>;

const ENVIRONMENT = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C" };
const LARGEST_OUTPUT_BYTES = 4 * 1024 * 1024;
const LONGEST_COMPLAINT = 1_000;

export const runCommand: RunCommand = ({ line: [program, ...rest], timeoutMs }) =>
  new Promise((resolve, reject) => {
    const options = {
      env: ENVIRONMENT,
      timeout: timeoutMs,
      killSignal: "SIGKILL",
      maxBuffer: LARGEST_OUTPUT_BYTES,
    } as const;
    const child = execFile(program, rest, options, (error, output, complaint) => {
      if (error === null) return resolve(output);
      reject(new Error(`${[program, ...rest].join(" ")}: ${reasonOf(error, complaint, timeoutMs)}`));
    });
    child.stdin?.end();
  });

function reasonOf(error: ExecFileException, complaint: string, timeoutMs: number): string {
  if (error.killed === true && error.signal === "SIGKILL") return `stopped, not done within ${timeoutMs / 1000} s`;
  if (error.code === "ENOENT") return "there is no such program";
  const said = complaint.trim().slice(0, LONGEST_COMPLAINT);
  return said === "" ? `failed with exit code ${error.code ?? "unknown"}` : said;
}
