// The standing duties of the service's processes, and the tolerated lateness of scheduled tasks: an unattended duty is noticed.
import { WorkQueue } from "./workQueue.js";

/** Standing work that at least one process has to do. The queues are duties too, and have the names that operators give them. */
export const Duty = {
  HOST_SYNC: "host_sync",
  INVENTORY_PRUNE: "inventory_prune",
  SWEEP: "sweep",
  DAILY_TASKS: "daily_tasks",
  ...WorkQueue,
} as const;
export type Duty = (typeof Duty)[keyof typeof Duty];

export const DUTIES: readonly Duty[] = Object.values(Duty);

/** What every worker does that stays, whichever queues it serves. */
export const WORKER_DUTIES: readonly Duty[] = [Duty.SWEEP, Duty.DAILY_TASKS];

/** What whoever serves the queue of guests' jobs does as well: so that a single kind of worker is enough. */
const INVENTORY_DUTIES: readonly Duty[] = [Duty.HOST_SYNC, Duty.INVENTORY_PRUNE];

/** @returns the standing work of a worker that stays and serves these queues */
export const dutiesOf = (queues: readonly WorkQueue[]): readonly Duty[] =>
  queues.includes(WorkQueue.JOBS) ? [...WORKER_DUTIES, ...INVENTORY_DUTIES] : WORKER_DUTIES;

/** Each duty in operators' words. */
export const DUTY_WORDS: Readonly<Record<Duty, string>> = {
  [Duty.HOST_SYNC]: "reads the hosts",
  [Duty.INVENTORY_PRUNE]: "deletes old guests, samples and agents' jobs",
  [Duty.SWEEP]: "releases what ended jobs still hold",
  [Duty.DAILY_TASKS]: "runs the daily tasks",
  [Duty.JOBS]: "works on the jobs of guests",
  [Duty.MIGRATIONS]: "works on moves",
};

/** A task that runs at certain times. */
interface PeriodicTask {
  readonly name: string;
  /** The standing work that it is part of. */
  readonly duty: Duty;
  /** When it runs, in UTC: minute, hour, day, month, day of the week. */
  readonly cron: string;
  /** Minutes from one run to the next. */
  readonly everyMinutes: number;
  /** Minutes by which it may be late before operators see an alert. */
  readonly slackMinutes: number;
}

const daily = <Name extends string>(name: Name, cron: string) =>
  ({ name, duty: Duty.DAILY_TASKS, cron, everyMinutes: 24 * 60, slackMinutes: 120 }) as const;

/** All periodic tasks; each has its run in `jobs/periodic/tasks.ts`. */
export const PERIODIC_TASKS = [
  daily("request-log", "0 3 * * *"),
  daily("sessions", "5 3 * * *"),
  daily("safety-copies", "10 3 * * *"),
  daily("address-history", "15 3 * * *"),
  { name: "request-log-budget", duty: Duty.DAILY_TASKS, cron: "*/5 * * * *", everyMinutes: 5, slackMinutes: 60 },
  { name: "inventory", duty: Duty.INVENTORY_PRUNE, cron: "30 * * * *", everyMinutes: 60, slackMinutes: 120 },
] as const satisfies readonly PeriodicTask[];

export type TaskName = (typeof PERIODIC_TASKS)[number]["name"];
