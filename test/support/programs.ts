// Runs a compiled program of the project for a test, and sees to it that it ends.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve as pathOf } from "node:path";
import { fileURLToPath } from "node:url";

const compiled = fileURLToPath(new URL("../..", import.meta.url));

/** Simulated hosts are on this machine, where no host is connected otherwise. */
const SIMULATED_HOSTS = { DROVER_PRIVATE_HOSTS: "127.0.0.1" };

export interface RunningProgram {
  readonly pid: number;
  /** Everything printed so far. */
  output(): string;
  /** Resolves when this was printed; rejects when the program ends before. */
  printed(text: string): Promise<void>;
  /** Sends the signal and resolves with the exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
  readonly ended: Promise<number | null>;
}

/** @param file below `dist/`, such as `app/main.js`, or anywhere by its whole path */
export function runProgram(
  file: string,
  words: readonly string[],
  environment: Record<string, string>,
): RunningProgram {
  const child = spawn(process.execPath, ["--enable-source-maps", pathOf(compiled, file), ...words], {
    env: { ...process.env, ...SIMULATED_HOSTS, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const ended = once(child, "exit").then(([code]) => (typeof code === "number" ? code : null));
  return {
    pid: child.pid ?? 0,
    output: () => output,
    async printed(text) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const look = (): void => {
        if (output.includes(text)) resolve();
      };
      for (const stream of [child.stdout, child.stderr]) stream.on("data", look);
      look();
      const early = ended.then((code) => {
        throw new Error(`${file} ended with ${code ?? "a signal"} before it printed ${text}:\n${output}`);
      });
      await Promise.race([promise, early]);
    },
    async end(signal = "SIGTERM") {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      return ended;
    },
    ended,
  };
}
