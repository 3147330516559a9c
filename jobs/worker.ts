// One worker process: serves the queues, finds forgotten jobs, and stops without losing any.
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { Services } from "../src/context.js";
import { WORK_QUEUES, WorkQueue } from "../src/core/workQueue.js";
import { attend, attendUntil, leave } from "./attendance.js";
import { runDailyTasks } from "./daily.js";
import { dispatchUntil } from "./dispatcher.js";
import { runJob, type Executor, type JobEvent } from "./executor.js";
import type { JobQueue } from "./queue.js";
import { sweepUntil } from "./sweep.js";

/** Jobs of one process at once; each waits for its host most of the time. */
const JOBS_AT_ONCE = 32;
const MIGRATIONS_AT_ONCE = 8;
/** Runs do nothing but wait most of the time. */
const RUNS_AT_ONCE = 64;
const LONGEST_STOP_MS = 10_000;

type RunJob = (jobId: number) => Promise<void>;

const SERVING: Readonly<Record<WorkQueue, (queue: JobQueue, run: RunJob) => Promise<void>>> = {
  [WorkQueue.JOBS]: (queue, run) => queue.serve("run-job", JOBS_AT_ONCE, run),
  async [WorkQueue.MIGRATIONS](queue, run) {
    await queue.serve("run-migration", MIGRATIONS_AT_ONCE, run);
    await queue.serve("run-moves", RUNS_AT_ONCE, run);
  },
};

export interface Worker {
  /** Ends the work; running jobs are handed on, resumable. */
  stop(): Promise<void>;
}

export interface WorkerOptions {
  /** Which queues it serves; all when left out. */
  readonly queues?: readonly WorkQueue[];
  readonly observe?: (event: JobEvent) => void;
}

/** Starts serving. */
export async function startWorker(
  services: Services,
  queue: JobQueue,
  { queues = WORK_QUEUES, observe = () => undefined }: WorkerOptions = {},
): Promise<Worker> {
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  const executor: Executor = {
    services,
    worker: `${hostname()}:${process.pid}`,
    stopping: stopping.signal,
    observe,
  };
  const run = async (jobId: number): Promise<void> => {
    // What is not claimed yet is found by another worker.
    if (stopping.signal.aborted) return;
    const work = runJob(executor, jobId).catch((error: unknown) =>
      services.log.error({ err: error, jobId }, "a job could not be run"),
    );
    await tracked(running, work);
  };
  const attendance = { name: executor.worker, queues };
  await attend(services, attendance);
  for (const name of queues) await SERVING[name](queue, run);
  const daily = (): Promise<void> => tracked(running, runDueTasks(services));
  await queue.hourly(daily);
  // What fell due while nothing ran is done at once.
  void daily();
  const rounds = [
    dispatchUntil(stopping.signal, services),
    sweepUntil(stopping.signal, services),
    attendUntil(stopping.signal, services, attendance),
  ];

  return {
    async stop() {
      stopping.abort(new Error("the worker stops"));
      await Promise.all(rounds);
      await leave(services, attendance);
      // Agenda's own way of waiting can miss the end of the last job; these are the ones that count.
      await Promise.race([Promise.all(running), delay(LONGEST_STOP_MS, undefined, { ref: false })]);
    },
  };
}

/** What runs is waited for at the end. */
async function tracked(running: Set<Promise<void>>, work: Promise<void>): Promise<void> {
  running.add(work);
  await work.finally(() => running.delete(work));
}

async function runDueTasks(services: Services): Promise<void> {
  await runDailyTasks(services).catch((error: unknown) =>
    services.log.warn({ err: error }, "daily tasks could not be looked for"),
  );
}
