// Counts the SQL statements that a piece of work sends.
import { sqlStatements } from "../../src/observability/metrics.js";
import { until } from "./until.js";

/** @returns how many statements this process sent while `work` ran */
export async function countStatements(work: () => Promise<unknown>): Promise<number> {
  const before = await sent();
  await work();
  return (await sent()) - before;
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
