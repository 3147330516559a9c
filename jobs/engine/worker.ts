// One worker process: has slots for jobs of each queue, fills them when it is woken, and stops without losing any job.
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { Services } from "../../src/context/context.js";
import { WORKER_DUTIES, type Duty } from "../../src/core/duty.js";
import { WORK_QUEUES, WorkQueue } from "../../src/core/workQueue.js";
import { retryUntilAvailable } from "../../src/db/retryUntilAvailable.js";
import type { JobObservation } from "../../src/observability/metrics.js";
import { pause } from "../../src/concurrency/pause.js";
import { runDailyTasks, runDailyTasksAnew } from "../queue/daily.js";
import { executorOf } from "../executorOf.js";
import { runClaimed, type Executor } from "./executor.js";
import type { Claim } from "../../src/store/jobLease.js";
import { claimDue } from "./lease.js";
import { kindsThatWake, type JobQueue, type QueueName } from "../queue/queue.js";
import { keepRegistered, register, unregister } from "./registration.js";
import { Slots } from "./slots.js";
import { sweepUntil } from "./sweep.js";

/** Jobs of one process at once; each waits for its host most of the time. */
const JOBS_AT_ONCE = 32;
const MIGRATIONS_AT_ONCE = 8;
/** Runs do nothing but wait most of the time. */
const RUNS_AT_ONCE = 64;
const LONGEST_STOP_MS = 10_000;
/** Who finds a task due claims it in the database, so every worker may look. */
const DAILY_LOOK_MS = 300_000;

const SLOTS: Readonly<Record<QueueName, number>> = {
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

interface WorkerOptions {
  /** Which queues it serves; all when left out. */
  readonly queues?: readonly WorkQueue[];
  /** The standing work of this process, for the record; what a worker does itself when left out. */
  readonly duties?: readonly Duty[];
  readonly observe?: (seen: JobObservation) => void;
}

/** Starts serving. */
export async function startWorker(
  services: Services,
  queue: JobQueue,
  { queues = WORK_QUEUES, duties = WORKER_DUTIES, observe = () => undefined }: WorkerOptions = {},
): Promise<Worker> {
  const stopping = new AbortController();
  const running = new RunningWork();
  const worker = `${hostname()}:${process.pid}`;
  const executor = executorOf({ services, worker, stopping: stopping.signal, observe });
  const registration = { name: executor.worker, queues, duties };
  await retryUntilAvailable(services, () => register(services, registration));
  const served = await serveQueues(executor, queue, { queues, running });
  const rounds = [
    ...served.map((slots) => slots.fillUntilStopped((error) => logFailedLook(services, error))),
    sweepUntil(stopping.signal, services),
    lookForDailyTasks(stopping.signal, services, running),
    keepRegistered(stopping.signal, services, registration),
  ];
  return {
    async stop() {
      stopping.abort(new Error("the worker stops"));
      await Promise.all(rounds);
      await unregister(services, registration);
      await running.ended(LONGEST_STOP_MS);
    },
  };
}

/** The work that is awaited when the worker stops: Agenda's own waiting can miss the end of the last job. */
class RunningWork {
  readonly #running = new Set<Promise<void>>();

  async track(work: Promise<void>): Promise<void> {
    this.#running.add(work);
    await work.finally(() => this.#running.delete(work));
  }

  /** Resolves when all work has ended, or the time is up. */
  async ended(milliseconds: number): Promise<void> {
    await Promise.race([Promise.all(this.#running), delay(milliseconds, undefined, { ref: false })]);
  }
}

interface Serving {
  readonly queues: readonly WorkQueue[];
  readonly running: RunningWork;
}

/** Fills the slots of each queue when it is woken. @returns the slots */
async function serveQueues(executor: Executor, queue: JobQueue, { queues, running }: Serving): Promise<Slots<Claim>[]> {
  const work = (job: Claim): Promise<void> =>
    running.track(
      runClaimed(executor, job).catch((error: unknown) =>
        executor.services.log.error({ err: error, jobId: job.id }, "a job could not be run"),
      ),
    );
  const names = queues.flatMap((name) => SERVED[name]);
  const served = names.map((name) => ({ name, slots: slotsOf(executor, name, work) }));
  for (const { name, slots } of served) await queue.serve(name, () => slots.fill());
  return served.map(({ slots }) => slots);
}

const slotsOf = (executor: Executor, name: QueueName, work: (job: Claim) => Promise<void>): Slots<Claim> =>
  new Slots({
    count: SLOTS[name],
    claim: (most) => claimDue(executor, { kinds: kindsThatWake(name), most }),
    work,
    stopping: executor.stopping,
  });

/**
 * Runs what fell due while no worker ran, and from then on looks by itself: the job queue may lose whatever it holds. A long task
 * does not delay the end of the worker.
 */
async function lookForDailyTasks(stopping: AbortSignal, services: Services, running: RunningWork): Promise<void> {
  void running.track(logged(services, runDailyTasksAnew(services)));
  for (;;) {
    await pause(DAILY_LOOK_MS, stopping);
    if (stopping.aborted) return;
    void running.track(logged(services, runDailyTasks(services)));
  }
}

async function logged({ log }: Services, tasks: Promise<unknown>): Promise<void> {
  await tasks.catch((error: unknown) => log.warn({ err: error }, "daily tasks could not be looked for"));
}

const logFailedLook = ({ log }: Services, error: unknown): void =>
  log.warn({ err: error }, "jobs that are due could not be looked for");
