// The worker of a process: all kinds of jobs, with the standing work that its duties bring.
import { hostname } from "node:os";
import { pause } from "../src/concurrency/pause.js";
import type { Services } from "../src/context/context.js";
import { WORKER_DUTIES, type Duty } from "../src/core/duty.js";
import { WORK_QUEUES, type WorkQueue } from "../src/core/workQueue.js";
import type { Executor } from "./engine/executor.js";
import { sweepUntil } from "./periodic/sweep.js";
import * as engine from "./engine/worker.js";
import { executorOf } from "./executorOf.js";
import { scheduledTasks } from "./periodic/tasks.js";
import type { JobQueue } from "./queue/queue.js";

/** The queue may lose its schedule; it is looked for so often. */
const SCHEDULE_LOOK_MS = 60_000;

interface WorkerOptions extends Partial<Pick<Executor, "observe">> {
  /** Which queues it serves; all when left out. */
  readonly queues?: readonly WorkQueue[];
  /** The standing work of this process; what every worker does when left out. */
  readonly duties?: readonly Duty[];
}

const NAME = `${hostname()}:${process.pid}`;

/** Serves the queues, sweeps and runs the periodic tasks of its duties until it is stopped. */
export function startWorker(
  services: Services,
  queue: JobQueue,
  { queues = WORK_QUEUES, duties = WORKER_DUTIES, ...observe }: WorkerOptions = {},
): Promise<engine.Worker> {
  const executor = executorOf({ services, worker: NAME, ...observe });
  const rounds = [
    (stopping: AbortSignal) => sweepUntil(stopping, services),
    (stopping: AbortSignal) => keepSchedule(stopping, services, { queue, duties }),
  ];
  return engine.startWorker(executor, { queues, queue, duties, rounds });
}

/** Works on what is due in the queues, and ends when nothing is: for a scheduler. @returns how many jobs it worked on */
export function workOnce(
  services: Services,
  queue: JobQueue,
  options: Pick<Executor, "stopping"> & Pick<WorkerOptions, "observe"> & { readonly queues: readonly WorkQueue[] },
): Promise<number> {
  const { queues, ...rest } = options;
  return engine.workUntilIdle({ ...executorOf({ services, worker: NAME, ...rest }), ...rest }, { queues, queue });
}

interface Scheduling {
  readonly queue: Pick<JobQueue, "schedule" | "restoreSchedule">;
  readonly duties: readonly Duty[];
}

async function keepSchedule(stopping: AbortSignal, services: Services, { queue, duties }: Scheduling): Promise<void> {
  const failed = (error: unknown): void => services.log.warn({ err: error }, "periodic tasks could not be scheduled");
  await queue.schedule(scheduledTasks(services, duties)).catch(failed);
  for (;;) {
    await pause(SCHEDULE_LOOK_MS, stopping);
    if (stopping.aborted) return;
    await queue.restoreSchedule().catch(failed);
  }
}
