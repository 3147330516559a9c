// Kills workers at any of their writes, and has a successor take over.
import type { Pool } from "pg";
import { executorOf } from "../../jobs/executorOf.js";
import { runJob, type Executor } from "../../jobs/engine/executor.js";
import type { Services } from "../../src/context/context.js";
import type { Stage } from "./creation.js";

/** Whether the killed worker's last write was still carried out. */
type Moment = "before" | "after";

export const MOMENTS: readonly Moment[] = ["before", "after"];

/** The place of a fault among a worker's writes. */
export interface Place {
  readonly write: number;
  readonly moment: Moment;
  /** The write behind which they are counted. Default: all are. */
  readonly behind?: (statement: unknown) => boolean;
}

/** A database that is lost for good at the given write: as for a process that was killed there, nothing follows. */
export function dyingPool(pool: Pool, at: Place): { pool: Pool; died: () => boolean } {
  let dead = false;
  const die = (): never => {
    dead = true;
    throw new Error("the worker was killed");
  };
  const faulty = faultyQuery(pool, at, die);
  const query = async (...parameters: unknown[]): Promise<unknown> => (dead ? die() : faulty(...parameters));
  const connect = async (): Promise<unknown> => (dead ? die() : pool.connect());
  return { pool: withMethods(pool, { query, connect }), died: () => dead };
}

/** A database whose connection is lost once, or that refuses a statement with another error, and that serves again at once. */
export function losingPool(
  pool: Pool,
  at: Place,
  error = new Error("Connection terminated unexpectedly"),
): { pool: Pool; lost: () => boolean } {
  let isLost = false;
  const query = faultyQuery(pool, at, () => {
    isLost = true;
    throw error;
  });
  const connect = (): Promise<unknown> => pool.connect();
  return { pool: withMethods(pool, { query, connect }), lost: () => isLost };
}

/** A database whose statements at one place wait for what happens `meanwhile`, as for a worker that stalls there. */
export function stallingPool(
  pool: Pool,
  isPlace: (statement: unknown, count: number) => boolean,
  meanwhile: () => Promise<unknown>,
): Pool {
  let count = 0;
  let hasStalled = false;
  const query = async (...parameters: unknown[]): Promise<unknown> => {
    if (!hasStalled && isPlace(parameters[0], ++count)) {
      hasStalled = true;
      await meanwhile();
    }
    return Reflect.apply(pool.query.bind(pool), pool, parameters);
  };
  return withMethods(pool, { query, connect: () => pool.connect() });
}

/** The pool with these methods in place of its own. */
export const withMethods = (pool: Pool, methods: Readonly<Record<string, unknown>>): Pool =>
  new Proxy(pool, { get: (target, key) => Reflect.get(key in methods ? methods : target, key) });

/** The pool's `query` with a fault before or after the given write. Several may be under way at once. */
function faultyQuery(pool: Pool, { write, moment, behind }: Place, fault: () => never) {
  let count = 0;
  let isCounting = behind === undefined;
  return async (...parameters: unknown[]): Promise<unknown> => {
    const isPlace = isCounting && ++count === write;
    isCounting ||= behind?.(parameters[0]) ?? false;
    if (isPlace && moment === "before") fault();
    const result: unknown = await Reflect.apply(pool.query.bind(pool), pool, parameters);
    return isPlace && moment === "after" ? fault() : result;
  };
}

export const executorFor = (services: Services, worker: string): Executor =>
  executorOf({ services, worker, stopping: new AbortController().signal });

/**
 * Runs the job until it is killed at this write, then lets a successor finish it.
 * @param meanwhile what happens at the host before the successor takes over
 * @returns whether it got to be killed
 */
export async function runKilled(
  stage: Stage,
  jobId: number,
  at: Place,
  meanwhile: () => void = () => undefined,
): Promise<boolean> {
  const { services } = stage;
  const { pool, died } = dyingPool(services.pool, at);
  await runJob(executorFor({ ...services, pool }, "killed"), jobId).catch((error: unknown) => {
    // A claim that dies has no job to speak of yet.
    if (!died()) throw error;
  });
  meanwhile();
  await services.pool.query(`update job set lease_until = now() - interval '1 second' where id = $1`, [jobId]);
  await runJob(executorFor(services, "successor"), jobId);
  return died();
}

/** How many tasks of a type the platform has run on a VMID, or on any. */
export const tasksOf = ({ host }: Stage, type: string, vmid?: number): number =>
  [...host.platform.tasks.active(), ...host.platform.tasks.archive()].filter(
    (task) => task.type === type && (vmid === undefined || task.id === String(vmid)),
  ).length;
