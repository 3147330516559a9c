// Counts the SQL statements that a piece of work sends.
import type { Pool } from "pg";
import { sqlStatements } from "../../src/observability/metrics.js";
import { until } from "./until.js";

/** @returns how many statements this process sent while `work` ran */
export async function countStatements(work: () => Promise<unknown>): Promise<number> {
  const before = await sent();
  await work();
  return (await sent()) - before;
}

/** @returns how many statements whose text has `part` the pool was asked for while `work` ran: what a process writes by itself is left out */
export async function countStatementsWith(pool: Pool, part: string, work: () => Promise<unknown>): Promise<number> {
  const isOwn = Object.hasOwn(pool, "query");
  const query: unknown = Reflect.get(pool, "query");
  if (typeof query !== "function") throw new Error("the pool has no query");
  let count = 0;
  const counting = (...parameters: unknown[]): unknown => {
    if (JSON.stringify(parameters[0]).includes(part)) count++;
    return Reflect.apply(query, pool, parameters);
  };
  Reflect.set(pool, "query", counting);
  try {
    await work();
  } finally {
    if (isOwn) Reflect.set(pool, "query", query);
    else Reflect.deleteProperty(pool, "query");
  }
  return count;
}

/** Resolves when this process has sent `count` more statements than when it was called. */
export async function untilSent(count: number): Promise<void> {
  const before = await sent();
  await until(`${count} statements were sent`, async () => (await sent()) >= before + count);
}

async function sent(): Promise<number> {
  const { values } = await sqlStatements.get();
  return values[0]?.value ?? 0;
}
