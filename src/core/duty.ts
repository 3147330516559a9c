// What the processes of the service do by themselves, and how late a scheduled task may be: so that what nobody does is noticed.
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
export const INVENTORY_DUTIES: readonly Duty[] = [Duty.HOST_SYNC, Duty.INVENTORY_PRUNE];

/** @returns the standing work of a worker that stays and serves these queues */
export const dutiesOf = (queues: readonly WorkQueue[]): readonly Duty[] =>
  queues.includes(WorkQueue.JOBS) ? [...WORKER_DUTIES, ...INVENTORY_DUTIES] : WORKER_DUTIES;

/** Each duty as operators are told it. */
export const DUTY_WORDS: Readonly<Record<Duty, string>> = {
  [Duty.HOST_SYNC]: "reads the hosts",
  [Duty.INVENTORY_PRUNE]: "deletes old guests, samples and agents' jobs",
  [Duty.SWEEP]: "releases what ended jobs still hold",
  [Duty.DAILY_TASKS]: "runs the daily tasks",
  [Duty.JOBS]: "works on the jobs of guests",
  [Duty.MIGRATIONS]: "works on moves",
};

/** How a task of the table `schedule` repeats. */
interface ScheduledTask {
  readonly name: string;
  /** Hours from one run to the next. */
  readonly everyHours: number;
  /** Hours by which it may be late before operators are told. */
  readonly slackHours: number;
}

/** The names of the daily tasks; each has its run in `jobs/queue/daily.ts`. */
export const DAILY_TASKS = ["request-log", "sessions", "safety-copies", "address-history"] as const;
export type DailyTaskName = (typeof DAILY_TASKS)[number];

/** The task of the inventory's own prune. */
export const INVENTORY_TASK = "inventory";

export const SCHEDULED_TASKS: readonly ScheduledTask[] = [
  ...DAILY_TASKS.map((name) => ({ name, everyHours: 24, slackHours: 2 })),
  { name: INVENTORY_TASK, everyHours: 1, slackHours: 2 },
];
