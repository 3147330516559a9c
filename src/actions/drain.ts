// Drains the work: while a drain lasts, workers finish the jobs that run and begin no others.
import type { Pool } from "pg";
import * as jobs from "../store/job/running.js";
import type { RunningJob } from "../store/job/running.js";
import { deleteDrain, insertDrain, lastingDrain, type Drain } from "../store/worker.js";

export type { RunningJob };

/** @returns the drain; one that lasts already stays as it is */
export async function beginDrain(pool: Pool, by: string): Promise<Drain> {
  await insertDrain(pool, by);
  const drain = await lastingDrain(pool);
  if (drain === null) throw new Error("the drain was ended at the same time");
  return drain;
}

/** Workers look for work again within seconds. @returns the drain that it ends; null when there was none */
export const endDrain = (pool: Pool): Promise<Drain | null> => deleteDrain(pool);

/** @returns the drain that lasts; null: work is begun as usual */
export const drainOf = (pool: Pool): Promise<Drain | null> => lastingDrain(pool);

/** Those that a drain waits for, oldest first: also jobs whose worker has died, which another one finishes. */
export const runningJobs = (pool: Pool): Promise<RunningJob[]> => jobs.running(pool);
