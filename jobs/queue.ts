// Agenda as the alarm clock of jobs: it wakes a worker, in PostgreSQL or, when `MONGODB_URI` is set, in MongoDB; the table says for what.
import { PostgresBackend } from "@agendajs/postgres-backend";
import { Agenda, type AgendaOptions, type Job } from "agenda";
import { Pool } from "pg";
import type { JobWaker } from "../src/context.js";
import { JobKind } from "../src/core/enums.js";
import { connectionOptions } from "../src/db/pool.js";
import type { Logger } from "../src/log.js";
import { MicroBatches } from "../src/microBatches.js";
import { waitAtMost } from "../src/waitAtMost.js";
import { throttle } from "../src/throttle.js";
import type { Waiting } from "./reachMongo.js";

/**
 * Moves have a queue of their own, so that long ones never starve creations; and so have the runs that wait for moves, or as
 * many of them as are worked on at once would keep every move from starting.
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

/** @returns the kinds of jobs that wake this queue. */
export const kindsThatWake = (queue: QueueName): JobKind[] =>
  Object.values(JobKind).filter((kind) => QUEUES[kind] === queue);

const HOURLY = "hourly";
const POLL_MS = 2_000;
const POOL_SIZE = 5;
const CONNECT_MS = 10_000;
const STATEMENT_MS = 30_000;
/** Who has made a job waits no longer for its wake-up: the job is on record. */
const LONGEST_WAKE_MS = 3_000;
/** While its storage is away Agenda reports many errors a second: one of them is logged, and how many there were. */
const SAY_AGAIN_MS = 10_000;
/** Wake-ups of one queue that a process holds while it has no place free; more are left to others. */
const ALARMS_AT_ONCE = 8;
/** Wake-ups that come while another is stored are stored as one. */
const MOST_TOGETHER = 1_000;
/**
 * Agenda's own lock; the lease on the job row is what counts. Kept short and touched while a job runs, because Agenda keeps a
 * timer of half of it for each job, also after the job's end.
 */
const LOCK_LIFETIME_MS = 12_000;
const TOUCH_MS = 4_000;

export interface QueueConnection {
  readonly databaseUrl: string;
  readonly mongodbUri: string | undefined;
  /** Unique among processes. */
  readonly name: string;
  /** Ends the waiting for a MongoDB that is away. */
  readonly signal?: AbortSignal | undefined;
}

export interface JobQueue extends JobWaker {
  /** Calls `woken` for each wake-up of this queue; there may be fewer than jobs. */
  serve(queue: QueueName, woken: () => Promise<void>): Promise<void>;
  /** Runs `run` about once an hour in one of the processes that serve. */
  hourly(run: () => Promise<void>): Promise<void>;
  /** Resolves when wake-ups can be stored; rejects with the reason when not. */
  check(): Promise<void>;
  /** Takes no more wake-ups; those that run go on. */
  close(): Promise<void>;
}

/** Where wake-ups are kept. */
export interface Backend {
  readonly options: Pick<AgendaOptions, "backend" | "notificationChannel">;
  check(): Promise<void>;
  close(): Promise<void>;
}

/** Connects the queue: PostgreSQL must answer already, MongoDB is waited for. @throws Error when it refuses for good */
export async function connectQueue(connection: QueueConnection, log: Logger): Promise<JobQueue> {
  const backend = await (connection.mongodbUri === undefined
    ? postgresBackend(connection, log)
    : onMongodb(connection.mongodbUri, { log, signal: connection.signal }));
  const agenda = new Agenda({
    ...backend.options,
    name: connection.name,
    processEvery: POLL_MS,
    defaultLockLifetime: LOCK_LIFETIME_MS,
    removeOnComplete: true,
  });
  const warn = throttle(SAY_AGAIN_MS, (error: unknown, more) =>
    log.warn({ err: error, more }, "the job queue reports an error"),
  );
  agenda.on("error", warn);
  await agenda.ready;
  // A process that only enqueues has to be connected itself, or its news are held back until the next poll.
  const channel = backend.options.notificationChannel ?? backend.options.backend.notificationChannel;
  await channel?.connect();
  let serving = false;
  const wakeUps = new MicroBatches<QueueName, void>(
    async (queues) => {
      await Promise.all([...new Set(queues)].map((queue) => agenda.now(queue, {})));
      return () => undefined;
    },
    { atOnce: 1, largest: MOST_TOGETHER, mostWaiting: MOST_TOGETHER },
  );

  return {
    async wake({ id, kind }) {
      const woken = wakeUps
        .add(QUEUES[kind])
        .catch((error: unknown) =>
          log.warn({ err: error, jobId: id }, "a worker could not be woken; the job will be found"),
        );
      await waitAtMost(LONGEST_WAKE_MS, woken);
    },
    async serve(queue, woken) {
      const processor = (wake: Job): Promise<void> => touching(wake, log, woken);
      // oxlint-disable-next-line typescript/no-misused-promises -- of its two forms the linter sees only the one with a callback
      agenda.define(queue, processor, { concurrency: ALARMS_AT_ONCE, lockLimit: ALARMS_AT_ONCE });
      if (serving) return;
      serving = true;
      // Starting connects the channel anew; it would not give back the connection that it has.
      await channel?.disconnect();
      await agenda.start();
    },
    async hourly(run) {
      // oxlint-disable-next-line typescript/no-misused-promises -- of its two forms the linter sees only the one with a callback
      agenda.define(HOURLY, () => run(), { concurrency: 1, lockLimit: 1 });
      await agenda.every("1 hour", HOURLY);
    },
    check: () => backend.check(),
    async close() {
      if (serving) await agenda.stop();
      await backend.close();
    },
  };
}

/** Keeps Agenda's lock while the work goes on. */
async function touching(wake: Job, log: Logger, work: () => Promise<void>): Promise<void> {
  const touch = setInterval(() => {
    wake.touch().catch((error: unknown) => log.debug({ err: error }, "a wake-up could not be touched"));
  }, TOUCH_MS);
  try {
    await work();
  } finally {
    clearInterval(touch);
  }
}

/** The backend on PostgreSQL with a pool of its own: Agenda needs plain dates, and must not starve requests. */
function postgresBackend({ databaseUrl, name }: QueueConnection, log: Logger): Promise<Backend> {
  const patience = { connectMs: CONNECT_MS, statementMs: STATEMENT_MS };
  const pool = new Pool({ ...connectionOptions(databaseUrl, `queue ${name}`, patience), max: POOL_SIZE });
  pool.on("error", (error) => log.warn({ err: error }, "the job queue lost a connection"));
  const backend = new PostgresBackend({ pool, ensureSchema: false });
  backend.notificationChannel?.on("error", lostNotifications(log));
  return Promise.resolve({
    options: { backend },
    async check() {
      await pool.query("select from agenda_jobs limit 1");
    },
    async close() {
      await backend.notificationChannel?.disconnect();
      await pool.end();
    },
  });
}

const lostNotifications = (log: Logger) =>
  throttle(SAY_AGAIN_MS, (error: unknown, more) =>
    log.warn({ err: error, more }, "the job queue lost its notifications"),
  );

/** Its driver is only loaded where it is used: it takes 17 MB of buffers as it starts. */
async function onMongodb(uri: string, waiting: Waiting): Promise<Backend> {
  const { mongoBackend } = await import("./mongoBackend.js");
  return mongoBackend(uri, waiting, lostNotifications(waiting.log));
}
