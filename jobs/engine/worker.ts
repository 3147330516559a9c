// One worker process: serves queues until it is stopped or, for a scheduler, until nothing is due; it stops without losing any job.
import { WorkQueue } from "../../src/core/workQueue.js";
import { retryUntilAvailable } from "../../src/db/retryUntilAvailable.js";
import type { Registration } from "../../src/store/worker.js";
import type { JobQueue, QueueName } from "../queue/queue.js";
import type { Executor } from "./executor.js";
import { keepRegistered, register, unregister } from "./registration.js";
import { Serving } from "./serving.js";

const LONGEST_STOP_MS = 10_000;
/** A worker for a scheduler leaves a job that is due again after so many attempts to the next one. */
const MOST_ATTEMPTS = 3;

const SERVED: Readonly<Record<WorkQueue, readonly QueueName[]>> = {
  [WorkQueue.JOBS]: ["run-job"],
  [WorkQueue.MIGRATIONS]: ["run-migration", "run-moves"],
};

const served = (queues: readonly WorkQueue[]): QueueName[] => queues.flatMap((name) => SERVED[name]);

/** What a worker does. */
export interface Work {
  readonly queues: readonly WorkQueue[];
  readonly queue: Pick<JobQueue, "serve">;
}

/** What a worker that stays does beside its queues. */
export interface StandingWork extends Work, Pick<Registration, "duties"> {
  /** Each goes on until the signal aborts. */
  readonly rounds: readonly ((stopping: AbortSignal) => Promise<void>)[];
}

export interface Worker {
  /** Ends the work; running jobs are handed on, resumable. */
  stop(): Promise<void>;
}

/** Serves the queues until it is stopped. */
export async function startWorker(parts: Omit<Executor, "stopping">, work: StandingWork): Promise<Worker> {
  const stopping = new AbortController();
  const executor = { ...parts, stopping: stopping.signal };
  const registration = { name: executor.worker, queues: work.queues, duties: work.duties };
  await retryUntilAvailable(executor.services, () => register(executor.services, registration));
  const serving = new Serving(executor, served(work.queues));
  const looking = await serving.start(work.queue, stopping.signal);
  const rounds = work.rounds.map((round) => round(stopping.signal));
  const registered = keepRegistered(stopping.signal, executor.services, registration);
  return {
    async stop() {
      stopping.abort(new Error("the worker stops"));
      await Promise.all([looking(), registered, ...rounds]);
      await unregister(executor.services, registration);
      await serving.ended(LONGEST_STOP_MS);
    },
  };
}

/** Works until nothing is due, or the executor stops. @returns how many jobs it worked on @throws what claiming throws */
export async function workUntilIdle(executor: Executor, { queues, queue }: Work): Promise<number> {
  const { services, stopping } = executor;
  const idle = new AbortController();
  const until = AbortSignal.any([stopping, idle.signal]);
  const registration = { name: executor.worker, queues, duties: [] };
  await register(services, registration);
  const registered = keepRegistered(until, services, registration);
  const serving = new Serving(executor, served(queues), { mostAttempts: MOST_ATTEMPTS });
  const looking = await serving.start(queue, until);
  try {
    return await serving.untilIdle();
  } finally {
    idle.abort();
    await Promise.all([looking(), registered, serving.ended()]);
    // Its record stays, with the time of its end: until the next worker comes, its queues do not count as unattended.
    await register(services, registration);
  }
}
