// Runs a benchmark in a process of its own, for a limited time, and removes what it leaves behind however it ends.
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { USUAL_EFFORT, type Benchmark, type Effort, type Result } from "../frame.js";

const program = fileURLToPath(new URL("main.js", import.meta.url));
const sweeperProgram = fileURLToPath(new URL("sweeper.js", import.meta.url));

/** What a benchmark's process is told. */
export interface Assignment {
  readonly name: string;
  readonly effort: Effort;
}

/**
 * The servers of a benchmark end with its process, and its process with this one; its database is removed after either.
 * @param interrupted ends it at once
 * @throws Error when it failed, took too long or was interrupted
 */
export async function runApart(benchmark: Benchmark, effort: Effort, interrupted: AbortSignal): Promise<Result> {
  if (interrupted.aborted) throw wasInterrupted(benchmark);
  const seconds = limitOf(benchmark, effort);
  const ended = AbortSignal.any([interrupted, AbortSignal.timeout(seconds * 1000)]);
  const child = fork(program, { execArgv: ["--enable-source-maps"], serialization: "advanced" });
  const sweeper = fork(sweeperProgram, [String(child.pid)], { detached: true });
  const gone = once(child, "exit");
  ended.addEventListener("abort", () => child.kill("SIGKILL"));
  const told = new Promise<Result>((resolve) => child.once("message", (result: Result) => resolve(result)));
  try {
    child.send({ name: benchmark.name, effort } satisfies Assignment);
    const result = await Promise.race([told, gone.then(() => null)]);
    if (interrupted.aborted) throw wasInterrupted(benchmark);
    if (ended.aborted) throw new Error(`${benchmark.name} was ended: it took longer than ${seconds.toFixed(0)} s`);
    if (result === null) throw new Error(`${benchmark.name} failed: exit code ${child.exitCode}`);
    await gone;
    return result;
  } finally {
    await sweep(sweeper);
  }
}

/** @throws Error when something is left, of which the sweeper has told */
async function sweep(sweeper: ChildProcess): Promise<void> {
  const gone = once(sweeper, "exit");
  sweeper.disconnect();
  const [code] = await gone;
  if (code !== 0) throw new Error(`The database of a benchmark is still there: exit code ${String(code)}`);
}

const wasInterrupted = ({ name }: Benchmark): Error => new Error(`${name} was interrupted`);

/** More rounds, longer ones or more hosts have more time. */
const limitOf = ({ longestSeconds }: Benchmark, { rounds, seconds, hosts }: Effort): number =>
  longestSeconds *
  Math.max(1, (rounds * seconds) / (USUAL_EFFORT.rounds * USUAL_EFFORT.seconds)) *
  Math.max(1, hosts / USUAL_EFFORT.hosts);
