// Kills workers at any of their writes, and has a successor take over.
import type { Pool } from "pg";
import { runJob, type Executor } from "../../jobs/executor.js";
import type { Services } from "../../src/context.js";
import type { Stage } from "./creation.js";

/** Whether the killed worker's last write was still carried out. */
export type Moment = "before" | "after";

export const MOMENTS: readonly Moment[] = ["before", "after"];

/** A database that is lost for good at the given write: as for a process that was killed there, nothing follows. */
export function dyingPool(
  pool: Pool,
  { write, moment }: { write: number; moment: Moment },
): { pool: Pool; died: () => boolean } {
  let count = 0;
  let dead = false;
  const die = (): never => {
    dead = true;
    throw new Error("the worker was killed");
  };
  const query = async (...parameters: unknown[]): Promise<unknown> => {
    if (dead) die();
    // Several may be under way at once.
    const isLast = ++count === write;
    if (isLast && moment === "before") die();
    const result: unknown = await Reflect.apply(pool.query.bind(pool), pool, parameters);
    return isLast && moment === "after" ? die() : result;
  };
  const proxy = new Proxy(pool, {
    get(target, key) {
      if (key === "query") return query;
      return key === "connect" && dead ? die : Reflect.get(target, key);
    },
  });
  return { pool: proxy, died: () => dead };
}

export const executorFor = (services: Services, worker: string): Executor => ({
  services,
  worker,
  stopping: new AbortController().signal,
  observe: () => undefined,
});

/** Runs the job until it is killed at this write, then lets a successor finish it. @returns whether it got to be killed */
export async function runKilled(stage: Stage, jobId: number, at: { write: number; moment: Moment }): Promise<boolean> {
  const { services } = stage;
  const { pool, died } = dyingPool(services.pool, at);
  await runJob(executorFor({ ...services, pool }, "killed"), jobId).catch((error: unknown) => {
    // A claim that dies has no job to speak of yet.
    if (!died()) throw error;
  });
  await services.pool.query(`update job set lease_until = now() - interval '1 second' where id = $1`, [jobId]);
  await runJob(executorFor(services, "successor"), jobId);
  return died();
}

/** How many tasks of a type the platform has run on a VMID, or on any. */
export const tasksOf = ({ host }: Stage, type: string, vmid?: number): number =>
  [...host.platform.tasks.active(), ...host.platform.tasks.archive()].filter(
    (task) => task.type === type && (vmid === undefined || task.id === String(vmid)),
  ).length;
