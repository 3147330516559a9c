// The periodic tasks: what each does, and how a run of it is recorded. When they run is decided by the queue's schedule.
import * as sessions from "../../src/store/session.js";
import * as requestLogBudget from "../../src/store/requestLogBudget.js";
import { pruneRequestLog, shrinkRequestLog } from "../../src/store/requestLogPartition.js";
import { pruneSafetyCopies } from "../../src/actions/guest/safetyCopy.js";
import type { Services } from "../../src/context/context.js";
import { PERIODIC_TASKS, type Duty, type TaskName } from "../../src/core/duty.js";
import { SETTINGS } from "../../src/core/settings.js";
import { pruneInventory } from "../../src/inventory/prune.js";
import { beginTaskRun, failTaskRun, finishTaskRun } from "../../src/store/taskRun.js";
import type { ScheduledTask } from "../queue/schedule.js";
import * as addresses from "../../src/store/address.js";
import * as settings from "../../src/store/setting.js";
import * as signIns from "../../src/store/signIn.js";

/** One task; it may be run twice. */
export interface PeriodicTask {
  readonly name: string;
  readonly run: (services: Services) => Promise<void>;
}

const RUNS: Readonly<Record<TaskName, PeriodicTask["run"]>> = {
  "request-log": pruneLog,
  "request-log-budget": keepLogWithinBudget,
  sessions: pruneSessions,
  "safety-copies": pruneCopies,
  "address-history": pruneAddressHistory,
  inventory: pruneInventory,
};

/** The tasks of a worker with these duties, for the queue's schedule. */
export const scheduledTasks = (services: Services, duties: readonly Duty[]): readonly ScheduledTask[] =>
  PERIODIC_TASKS.filter(({ duty }) => duties.includes(duty)).map(({ name, cron }) => ({
    name,
    cron,
    run: () => runTask(services, { name, run: RUNS[name] }),
  }));

/** Runs every task once, one after the other. @throws what a task throws */
export async function runAllTasks(services: Services): Promise<void> {
  for (const { name } of PERIODIC_TASKS) await runTask(services, { name, run: RUNS[name] });
}

/** Runs a task and records the run. @throws what the task throws */
export async function runTask(services: Services, { name, run }: PeriodicTask): Promise<void> {
  const { pool, clock, log } = services;
  await beginTaskRun(pool, name, clock.now());
  try {
    await run(services);
  } catch (error) {
    log.error({ err: error, task: name }, "periodic task failed");
    await failTaskRun(pool, name, error instanceof Error ? error.message : String(error));
    throw error;
  }
  await finishTaskRun(pool, name, clock.now());
}

async function pruneLog(services: Services): Promise<void> {
  const limits = await settings.requestLogLimits(services.pool);
  const days = limits?.retentionDays ?? SETTINGS.requestLogRetentionDays.initial;
  const dropped = await pruneRequestLog(services, days);
  if (dropped.length > 0) services.log.info({ dropped }, "days of the request log were dropped");
}

const MIB = 1024 ** 2;

async function keepLogWithinBudget(services: Services): Promise<void> {
  const { pool, clock, log } = services;
  const limits = await settings.requestLogLimits(pool);
  const mib = limits?.maxMb ?? SETTINGS.requestLogMaxMb.initial;
  for await (const { bytes, droppedThrough } of shrinkRequestLog(services, mib * MIB)) {
    await requestLogBudget.record(pool, { at: clock.now(), bytes, droppedThrough });
    if (droppedThrough !== null) log.warn({ droppedThrough, mib }, "a day was dropped: the request log is at its size");
  }
}

/** How long the history of an account's sign-ins is kept. */
const SIGN_IN_DAYS = 90;

async function pruneSessions({ pool, clock }: Services): Promise<void> {
  await sessions.deleteExpired(pool, clock.now());
  await signIns.deleteOld(pool, clock.now(), SIGN_IN_DAYS);
}

async function pruneCopies(services: Services): Promise<void> {
  const due = await pruneSafetyCopies(services);
  if (due > 0) services.log.info({ due }, "deletion of due safety copies queued");
}

/** Present holders of addresses are kept without a limit. */
async function pruneAddressHistory({ pool, clock, log }: Services): Promise<void> {
  const periods = await addresses.deleteOldHoldings(pool, clock.now());
  if (periods > 0) log.info({ periods }, "old holders of addresses were deleted");
}
