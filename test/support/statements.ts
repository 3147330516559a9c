// Counts the SQL statements that a piece of work sends.
import { sqlStatements } from "../../src/metrics.js";

/** @returns how many statements this process sent while `work` ran */
export async function countStatements(work: () => Promise<unknown>): Promise<number> {
  const before = await sent();
  await work();
  return (await sent()) - before;
}

async function sent(): Promise<number> {
  const { values } = await sqlStatements.get();
  return values[0]?.value ?? 0;
}
