// Drains the work: while a drain lasts, workers finish the jobs that run and begin no others.
import type { Pool } from "pg";
import { deleteDrain, insertDrain, type Drain } from "../store/worker.js";

/** A job that has not ended. */
export interface RunningJob {
  readonly id: number;
  readonly kind: string;
  readonly step: string | null;
  readonly node: string | null;
  readonly vmid: number | null;
}

/** @returns the drain; one that lasts already stays as it is */
export async function beginDrain(pool: Pool, by: string): Promise<Drain> {
  await insertDrain(pool, by);
  const drain = await drainOf(pool);
  if (drain === null) throw new Error("the drain was ended at the same time");
  return drain;
}

/** Workers look for work again within seconds. @returns the drain that it ends; null when there was none */
export const endDrain = (pool: Pool): Promise<Drain | null> => deleteDrain(pool);

/** @returns the drain that lasts; null: work is begun as usual */
export async function drainOf(pool: Pool): Promise<Drain | null> {
  const { rows } = await pool.query<Drain>(`select begun_by as "begunBy", since from drain`);
  return rows[0] ?? null;
}

/** Those that a drain waits for, oldest first: also jobs whose worker has died, which another one finishes. */
export async function runningJobs(pool: Pool): Promise<RunningJob[]> {
  const { rows } = await pool.query<RunningJob>(
    `select id, kind, step, node, vmid from job where status = 'running' order by id`,
  );
  return rows;
}
