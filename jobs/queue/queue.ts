// The job queue on Agenda: entries that wake workers, and the schedule of periodic tasks. Agenda keeps them in PostgreSQL or, when
// `MONGODB_URI` is set, in MongoDB; the jobs themselves stay in the table `job`.
import { Agenda, type Job } from "agenda";
import type { DueJob, JobWaker } from "../../src/context/context.js";
import { JobKind } from "../../src/core/enums.js";
import type { Logger } from "../../src/observability/log.js";
import { retryUntilAvailable, type DatabaseWait } from "../../src/db/retryUntilAvailable.js";
import { waitAtMost } from "../../src/concurrency/waitAtMost.js";
import { throttle } from "../../src/concurrency/throttle.js";
import type { Backend } from "./backend.js";
import { postgresBackend } from "./postgresBackend.js";
import type { MongoWait } from "./reachMongo.js";
import { scheduleMissing, scheduleSoon, TASK_OPTIONS, type ScheduledTask } from "./schedule.js";
import { WakeUps } from "./wakeUps.js";

/**
 * Moves have a queue of their own, so that long ones never starve creations. Runs have another one: each waits for its moves, and
 * enough of them in the queue of the moves would keep every move from starting.
 */
export type QueueName = "run-job" | "run-migration" | "run-moves";

const QUEUES: Readonly<Record<JobKind, QueueName>> = {
  [JobKind.GUEST_CREATE]: "run-job",
  [JobKind.GUEST_REINSTALL]: "run-job",
  [JobKind.GUEST_DELETE]: "run-job",
  [JobKind.SAFETY_COPY_DELETE]: "run-job",
  [JobKind.MIGRATION]: "run-migration",
  [JobKind.EVACUATION]: "run-moves",
  [JobKind.BALANCE_RUN]: "run-moves",
};

/** @returns the kinds of jobs in this queue. */
export const kindsThatWake = (queue: QueueName): JobKind[] =>
  Object.values(JobKind).filter((kind) => QUEUES[kind] === queue);

const POLL_MS = 2_000;
/** What an entry of a queue carries. */
interface Entry {
  readonly jobs: readonly DueJob[];
}

/** How long a queue that closes waits for wake-ups that are being stored: their jobs are on record already. */
const LONGEST_STORE_MS = 2_000;
/** While its storage is away, Agenda reports many errors a second: one is logged per interval, with the number of the others. */
const WARN_EVERY_MS = 10_000;
/** Wake-ups of one queue that a process holds while all its slots are taken; further ones are left to other processes. */
const WAKE_UPS_AT_ONCE = 8;
/**
 * Agenda's own lock; what counts is the lease on the job's row. It is short, and renewed while a job runs, because Agenda keeps a
 * timer of half its length for each job, also after the end of the job.
 */
const LOCK_LIFETIME_MS = 12_000;
const TOUCH_MS = 4_000;

interface QueueConnection {
  readonly databaseUrl: string;
  readonly mongodbUri: string | undefined;
  /** Unique among processes. */
  readonly name: string;
  /** Ends the waiting for a MongoDB that is away. */
  readonly signal?: AbortSignal | undefined;
  /** Between two looks for entries of which no notification came. Default: two seconds. */
  readonly pollMs?: number;
}

export interface JobQueue extends JobWaker {
  /** Calls `woken` for each entry of this queue; an entry carries one job or several. It never fails. */
  serve(queue: QueueName, woken: () => Promise<void>): Promise<void>;
  /** Runs these tasks soon, and then at their times, in one of the processes that schedule them. */
  schedule(tasks: readonly ScheduledTask[]): Promise<void>;
  /** Makes the entries of scheduled tasks again that the queue has lost. */
  restoreSchedule(): Promise<void>;
  /** Resolves when wake-ups can be stored; rejects with the reason when not. */
  check(): Promise<void>;
  /** Takes no more wake-ups; those that run go on. */
  close(): Promise<void>;
}

/**
 * Connects the queue: PostgreSQL must answer already, MongoDB is waited for.
 * @throws ConfigError when MongoDB refuses for good; Error when PostgreSQL does
 */
export async function connectQueue(connection: QueueConnection, log: Logger): Promise<JobQueue> {
  const { databaseUrl, mongodbUri, name, signal, pollMs = POLL_MS } = connection;
  const lostNotifications = warning(log, "the job queue lost its notifications");
  const backend =
    mongodbUri === undefined
      ? postgresBackend({ databaseUrl, name, log, lostNotifications, signal })
      : await onMongodb(mongodbUri, { log, signal }, lostNotifications);
  const queue = new AgendaQueue(backend, { name, log, signal, pollMs });
  await queue.open();
  return queue;
}

const warning = (log: Logger, message: string): ((error: unknown) => void) =>
  throttle(WARN_EVERY_MS, (error, more) => log.warn({ err: error, more }, message));

/** Loads the driver only where it is used: it allocates 17 MB of buffers when it is loaded. */
async function onMongodb(
  uri: string,
  waiting: MongoWait,
  lostNotifications: (error: unknown) => void,
): Promise<Backend> {
  const { mongoBackend } = await import("./mongoBackend.js");
  return mongoBackend(uri, waiting, lostNotifications);
}

interface QueueParts extends DatabaseWait {
  /** Unique among processes. */
  readonly name: string;
  readonly pollMs: number;
}

class AgendaQueue implements JobQueue {
  readonly #backend: Backend;
  readonly #log: Logger;
  readonly #waiting: DatabaseWait;
  readonly #agenda: Agenda;
  readonly #wakeUps: WakeUps<QueueName, DueJob>;
  #tasks: readonly ScheduledTask[] = [];
  #isServing = false;

  constructor(backend: Backend, { name, log, signal, pollMs }: QueueParts) {
    this.#backend = backend;
    this.#log = log;
    this.#waiting = { log, signal };
    this.#agenda = new Agenda({
      ...backend.options,
      name,
      processEvery: pollMs,
      defaultLockLifetime: LOCK_LIFETIME_MS,
      removeOnComplete: true,
    });
    this.#agenda.on("error", warning(log, "the job queue reports an error"));
    const lost = warning(log, "queue entries lost: their jobs are found by the next look");
    const store = async (queue: QueueName, jobs: readonly DueJob[]): Promise<void> =>
      void (await this.#agenda.now<Entry>(queue, { jobs }));
    this.#wakeUps = new WakeUps(store, lost);
  }

  async open(): Promise<void> {
    await this.#agenda.ready;
    this.#outliveReleases();
    // A process that only adds entries must connect the channel itself, or its notifications wait until the next poll.
    await retryUntilAvailable(this.#waiting, async () => {
      // One that failed is about to try again by itself.
      await this.#channel?.disconnect();
      await this.#channel?.connect();
    });
  }

  wake({ id, kind }: DueJob): void {
    this.#wakeUps.add(QUEUES[kind], { id, kind });
  }

  async serve(queue: QueueName, woken: () => Promise<void>): Promise<void> {
    const processor = (entry: Job<Entry>): Promise<void> => touching(entry, this.#log, woken);
    // oxlint-disable-next-line typescript/no-misused-promises -- of its two forms the linter sees only the one with a callback
    this.#agenda.define(queue, processor, { concurrency: WAKE_UPS_AT_ONCE, lockLimit: WAKE_UPS_AT_ONCE });
    await this.#start();
  }

  async schedule(tasks: readonly ScheduledTask[]): Promise<void> {
    for (const { name, run } of tasks) {
      const processor = (entry: Job): Promise<void> => touching(entry, this.#log, run);
      // oxlint-disable-next-line typescript/no-misused-promises -- as above
      this.#agenda.define(name, processor, TASK_OPTIONS);
    }
    this.#tasks = tasks;
    await this.#start();
    await scheduleSoon(this.#agenda, tasks);
  }

  async restoreSchedule(): Promise<void> {
    const missing = await scheduleMissing(this.#agenda, this.#tasks);
    if (missing.length > 0) this.#log.warn({ tasks: missing }, "scheduled tasks restored in the job queue");
  }

  async #start(): Promise<void> {
    if (this.#isServing) return;
    this.#isServing = true;
    // Starting connects the channel again, and would not release the connection that it has.
    await retryUntilAvailable(this.#waiting, async () => {
      await this.#channel?.disconnect();
      await this.#agenda.start();
    });
  }

  check(): Promise<void> {
    return this.#backend.check();
  }

  /**
   * Agenda releases an entry that it took too early without handling a rejection, which would end the process: of a database that
   * is lost just then, or of a queue that closes meanwhile. What it could not release is free again when its lock ends.
   */
  #outliveReleases(): void {
    const { db } = this.#agenda;
    const release = db.unlockJob.bind(db);
    db.unlockJob = (entry) =>
      release(entry).catch((error: unknown) => this.#log.debug({ err: error }, "a queue entry could not be released"));
  }

  async close(): Promise<void> {
    await waitAtMost(LONGEST_STORE_MS, this.#wakeUps.stored());
    try {
      if (this.#isServing) await this.#agenda.stop();
    } finally {
      await this.#backend.close();
    }
  }

  get #channel() {
    const { backend, notificationChannel } = this.#backend.options;
    return notificationChannel ?? backend.notificationChannel;
  }
}

/** Keeps Agenda's lock while the work goes on. */
async function touching(entry: Pick<Job, "touch">, log: Logger, work: () => Promise<void>): Promise<void> {
  const touch = setInterval(() => {
    entry
      .touch()
      .catch((error: unknown) => log.debug({ err: error }, "the lock of a queue entry could not be renewed"));
  }, TOUCH_MS);
  try {
    await work();
  } finally {
    clearInterval(touch);
  }
}
