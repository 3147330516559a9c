// Keeps periodic tasks as scheduled jobs of Agenda, one each: name, time, zone, last run and last failure are in Agenda's own store.
import type { Agenda, Job } from "agenda";

/** A task with its time. */
export interface ScheduledTask {
  /** The name of its job in Agenda's store. */
  readonly name: string;
  /** When it runs, in UTC. */
  readonly cron: string;
  /** May be run twice. @throws Error: it is run again some minutes later, with the reason on record */
  readonly run: () => Promise<void>;
}

const ZONE = "UTC";
/** A new entry runs first after so long: Agenda would keep an earlier time if it were due at once. */
const FIRST_RUN_MS = 1_000;
const RETRY_MS = 15 * 60_000;

/** How Agenda is to treat each task. */
export const TASK_OPTIONS = { concurrency: 1, lockLimit: 1, backoff: () => RETRY_MS } as const;

/** Makes the tasks' entries, or has the existing ones run soon: for what fell due while no worker ran. */
export async function scheduleSoon(agenda: Agenda, tasks: readonly ScheduledTask[]): Promise<void> {
  await Promise.all(
    tasks.map(async ({ name, cron }) => {
      const entry: Job<void> = await agenda.every(cron, name, undefined, { timezone: ZONE });
      await entry.schedule(new Date(Date.now() + FIRST_RUN_MS)).save();
    }),
  );
}

/** Makes the entries that are missing: the queue may lose whatever it holds. @returns the names of the tasks */
export async function scheduleMissing(agenda: Agenda, tasks: readonly ScheduledTask[]): Promise<readonly string[]> {
  if (tasks.length === 0) return [];
  const { jobs } = await agenda.queryJobs({ names: tasks.map(({ name }) => name) });
  const present = new Set(jobs.map(({ name }) => name));
  const missing = tasks.filter(({ name }) => !present.has(name));
  await scheduleSoon(agenda, missing);
  return missing.map(({ name }) => name);
}
