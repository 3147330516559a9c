// `drover drain`: lets running jobs end and has no others begun, as before an upgrade that is to find none in flight.
import { Command } from "commander";
import { hostname, userInfo } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { Pool } from "pg";
import { beginDrain, endDrain, runningJobs, type RunningJob } from "../../src/actions/drain.js";
import { asOperator } from "./operator.js";
import { print } from "./print.js";
import { wholeNumber } from "./values.js";

const LOOK_MS = 1_000;
/** So many are named; the others are counted. */
const NAMED = 5;

interface Options {
  readonly end?: boolean;
  readonly timeout?: number;
}

export function drainCommand(): Command {
  return new Command("drain")
    .description("let running jobs end and begin no others; returns when none runs, and the drain lasts until --end")
    .option("--end", "end the drain: workers begin jobs again")
    .option("--timeout <seconds>", "give up waiting after so long, with exit code 1; the drain lasts", wholeNumber(1))
    .action(({ end, timeout }: Options) =>
      asOperator(({ pool }) => (end === true ? finish(pool) : drain(pool, timeout ?? Number.POSITIVE_INFINITY))),
    );
}

async function finish(pool: Pool): Promise<void> {
  const ended = await endDrain(pool);
  print(ended === null ? "Work was not drained." : `Workers begin jobs again. ${ended.begunBy} had drained the work.`);
}

async function drain(pool: Pool, seconds: number): Promise<void> {
  const { begunBy, since } = await beginDrain(pool, `${userInfo().username} on ${hostname()}`);
  print(`No jobs are begun since ${since.toISOString()} (${begunBy}), until: drover drain --end`);
  const deadline = performance.now() + seconds * 1000;
  for (let printed = ""; ; await delay(LOOK_MS)) {
    const running = await runningJobs(pool);
    const text = running.length === 0 ? "No job runs." : `Running: ${describe(running)}`;
    if (text !== printed) print(text);
    printed = text;
    if (running.length === 0) return;
    if (performance.now() > deadline) throw new Error(`after ${seconds} s jobs still run: ${describe(running)}`);
  }
}

function describe(jobs: readonly RunningJob[]): string {
  const named = jobs.slice(0, NAMED).map(({ id, kind, step, node, vmid }) => {
    const where = vmid === null ? (node ?? "") : `guest ${vmid} on ${node ?? "?"}`;
    return `${kind} ${id} (${[where, step].filter(Boolean).join(", ")})`;
  });
  const more = jobs.length - named.length;
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join("; ");
}
