// Has what may come at once come at once: all wait at one lock before any of them goes on.
import assert from "node:assert/strict";
import type { Pool, PoolClient } from "pg";
import { eventually } from "./eventually.js";

const WAITING = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

/**
 * Starts all of `callers` while a transaction holds what `hold` locks, and ends it when each of them waits for a lock, after
 * what it does `last`.
 * @returns how each of them fared
 * @throws AssertionError when one of them does not wait
 */
export async function meet<Result>(
  pool: Pool,
  hold: (client: PoolClient) => Promise<unknown>,
  callers: readonly (() => Promise<Result>)[],
  last: (client: PoolClient) => Promise<unknown> = () => Promise.resolve(),
): Promise<PromiseSettledResult<Result>[]> {
  const holder = await pool.connect();
  try {
    await holder.query("begin");
    await hold(holder);
    const outcomes = Promise.allSettled(callers.map((call) => call()));
    await eventually(async () => assert.equal((await pool.query(WAITING)).rowCount, callers.length));
    await last(holder);
    await holder.query("commit");
    return await outcomes;
  } finally {
    // Whatever went wrong: with the connection its locks end.
    holder.release(true);
  }
}
