// One worker process: has places for jobs of each queue, fills them when it is woken, and stops without losing any job.
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { Services } from "../src/context.js";
import { WORK_QUEUES, WorkQueue } from "../src/core/workQueue.js";
import type { JobObservation } from "../src/metrics.js";
import { attend, attendUntil, leave } from "./attendance.js";
import { runDailyTasks, runDailyTasksAnew } from "./daily.js";
import { runClaimed, type Executor } from "./executor.js";
import { claimDue, type Claim } from "./lease.js";
import { Places } from "./places.js";
import { kindsThatWake, type JobQueue, type QueueName } from "./queue.js";
import { sweepUntil } from "./sweep.js";

/** Jobs of one process at once; each waits for its host most of the time. */
const JOBS_AT_ONCE = 32;
const MIGRATIONS_AT_ONCE = 8;
/** Runs do nothing but wait most of the time. */
const RUNS_AT_ONCE = 64;
const LONGEST_STOP_MS = 10_000;

const PLACES: Readonly<Record<QueueName, number>> = {
  "run-job": JOBS_AT_ONCE,
  "run-migration": MIGRATIONS_AT_ONCE,
  "run-moves": RUNS_AT_ONCE,
};

const SERVED: Readonly<Record<WorkQueue, readonly QueueName[]>> = {
  [WorkQueue.JOBS]: ["run-job"],
  [WorkQueue.MIGRATIONS]: ["run-migration", "run-moves"],
};

export interface Worker {
  /** Ends the work; running jobs are handed on, resumable. */
  stop(): Promise<void>;
}

export interface WorkerOptions {
  /** Which queues it serves; all when left out. */
  readonly queues?: readonly WorkQueue[];
  readonly observe?: (seen: JobObservation) => void;
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
  const work = async (job: Claim): Promise<void> => {
    const worked = runClaimed(executor, job).catch((error: unknown) =>
      services.log.error({ err: error, jobId: job.id }, "a job could not be run"),
    );
    await tracked(running, worked);
  };
  const attendance = { name: executor.worker, queues };
  await attend(services, attendance);
  const served = queues
    .flatMap((name) => SERVED[name])
    .map((name) => ({ name, places: placesOf(executor, name, work) }));
  for (const { name, places } of served) await queue.serve(name, () => places.fill());
  await queue.hourly(() => tracked(running, reported(services, runDailyTasks(services))));
  // What fell due while nothing ran is done at once.
  void tracked(running, reported(services, runDailyTasksAnew(services)));
  const rounds = [
    ...served.map(({ places }) =>
      places.fillUntilStopped((error) =>
        services.log.warn({ err: error }, "jobs that are due could not be looked for"),
      ),
    ),
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

const placesOf = (
  { services, worker, stopping }: Executor,
  name: QueueName,
  work: (job: Claim) => Promise<void>,
): Places<Claim> =>
  new Places({
    count: PLACES[name],
    claim: (most) => claimDue(services, { kinds: kindsThatWake(name), most }, worker),
    work,
    stopping,
  });

/** What runs is waited for at the end. */
async function tracked(running: Set<Promise<void>>, work: Promise<void>): Promise<void> {
  running.add(work);
  await work.finally(() => running.delete(work));
}

async function reported({ log }: Services, tasks: Promise<unknown>): Promise<void> {
  await tasks.catch((error: unknown) => log.warn({ err: error }, "daily tasks could not be looked for"));
}
