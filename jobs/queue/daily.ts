// Runs tasks once a day, in whichever process claims them first. Workers look for what is due every few minutes, so that a missed night is made up for.
import { pruneRequestLog } from "../../src/access/requestLogPartitions.js";
import { pruneSafetyCopies } from "../../src/actions/guest/safetyCopy.js";
import type { Services } from "../../src/context/context.js";
import { DAILY_TASKS, type DailyTaskName } from "../../src/core/duty.js";

/** One daily task; it may be run twice. */
export interface DailyTask {
  /** Its row in `schedule`. */
  readonly name: string;
  run(services: Services): Promise<void>;
}

/** After a failure it is tried again so much later. */
const RETRY_MINUTES = 15;

const RUNS: Readonly<Record<DailyTaskName, DailyTask["run"]>> = {
  "request-log": pruneLog,
  sessions: pruneSessions,
  "safety-copies": pruneCopies,
  "address-history": pruneAddressHistory,
};

const dailyTasks: readonly DailyTask[] = DAILY_TASKS.map((name) => ({ name, run: RUNS[name] }));

/** The claim: whoever moves the due time does the work. Due is told by the service's clock, so that trials can shift it. */
const CLAIM = `
  with known as (insert into schedule (name, due_at) values ($1, $2) on conflict do nothing)
  update schedule set due_at = $2::timestamptz + interval '1 day', last_started_at = $2, last_error = null
  where name = $1 and due_at <= $2 returning name`;

/** Runs the tasks that are due, one after the other. @returns their names; a failed one is logged and tried again later */
export async function runDailyTasks(services: Services, tasks: readonly DailyTask[] = dailyTasks): Promise<string[]> {
  const done: string[] = [];
  for (const task of tasks) {
    if (await isMine(services, task)) done.push(...(await attempt(services, task)));
  }
  return done;
}

/** As `runDailyTasks`, whenever they ran last: at the start of a process, for what fell due while none ran. */
export async function runDailyTasksAnew(
  services: Services,
  tasks: readonly DailyTask[] = dailyTasks,
): Promise<string[]> {
  await services.pool.query(`update schedule set due_at = $2 where name = any($1) and due_at > $2`, [
    tasks.map(({ name }) => name),
    services.clock.now(),
  ]);
  return runDailyTasks(services, tasks);
}

async function isMine({ pool, clock }: Services, { name }: DailyTask): Promise<boolean> {
  // A row that this very statement makes is not seen by its update: the first claim of a new task takes two.
  for (let look = 1; look <= 2; look++) {
    const { rowCount } = await pool.query(CLAIM, [name, clock.now()]);
    if (rowCount === 1) return true;
  }
  return false;
}

async function attempt(services: Services, task: DailyTask): Promise<string[]> {
  const { pool, clock, log } = services;
  try {
    await task.run(services);
    await pool.query(`update schedule set last_finished_at = $2 where name = $1`, [task.name, clock.now()]);
    return [task.name];
  } catch (error) {
    log.error({ err: error, task: task.name }, "a daily task failed");
    await pool.query(
      `update schedule set due_at = $2::timestamptz + $3 * interval '1 minute', last_error = $4 where name = $1`,
      [task.name, clock.now(), RETRY_MINUTES, error instanceof Error ? error.message : String(error)],
    );
    return [];
  }
}

async function pruneLog(services: Services): Promise<void> {
  const { rows } = await services.pool.query<{ days: number }>(
    `select request_log_retention_days as days from setting`,
  );
  const dropped = await pruneRequestLog(services, rows[0]?.days ?? 30);
  if (dropped.length > 0) services.log.info({ dropped }, "days of the request log were dropped");
}

async function pruneSessions({ pool, clock }: Services): Promise<void> {
  await pool.query(`delete from session where expires_at < $1`, [clock.now()]);
}

async function pruneCopies(services: Services): Promise<void> {
  const due = await pruneSafetyCopies(services);
  if (due > 0) services.log.info({ due }, "safety copies whose time has come are deleted");
}

/** Who holds an address now is kept, since whenever. */
async function pruneAddressHistory({ pool, clock, log }: Services): Promise<void> {
  const { rowCount } = await pool.query(
    `delete from ip_address_holding h using setting s
     where h.until < $1::timestamptz - s.address_history_retention_days * interval '1 day'`,
    [clock.now()],
  );
  if (rowCount !== null && rowCount > 0) log.info({ periods: rowCount }, "who held addresses long ago was forgotten");
}
