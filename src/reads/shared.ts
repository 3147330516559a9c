// Shares a statement among all who send it with the same values at the same time: a change with thousands of followers is read once.
import type { Pool } from "pg";
import { readOne } from "./json.js";

/** Readings that are about to be sent, by statement and values. */
const gathering = new WeakMap<Pool, Map<string, Promise<unknown>>>();

/** As `readOne`; the reading begins after the call, so that it sees whatever the caller has heard of. */
export function readOneShared<Columns extends object>(pool: Pool, text: string, values: unknown[]): Promise<Columns> {
  const ofPool = gathering.get(pool) ?? new Map<string, Promise<unknown>>();
  gathering.set(pool, ofPool);
  const key = JSON.stringify([text, values]);
  const reading =
    ofPool.get(key) ??
    beginLater(
      () => readOne<Columns>({ pool }, text, values),
      () => ofPool.delete(key),
    );
  ofPool.set(key, reading);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one statement has one shape of row
  return reading as Promise<Columns>;
}

/** After everything that is happening now: whoever heard the same news has asked by then. */
async function beginLater<Result>(read: () => Promise<Result>, begins: () => void): Promise<Result> {
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
  begins();
  return read();
}
