// Has what may come at once come at once: all wait at one lock before any of them goes on.
import assert from "node:assert/strict";
import type { Pool, PoolClient } from "pg";
import { eventually } from "./eventually.js";

/** The sessions that wait for the session `$1`, or for one that does: others wait for each other now and then. */
const WAITING = `
  with recursive waiting (pid, behind) as materialized (
    select pid, pg_blocking_pids(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'
  ), blocked (pid) as (
    select pid from waiting where $1 = any(behind)
    union select waiting.pid from waiting join blocked on blocked.pid = any(waiting.behind)
  )
  select from blocked`;

/**
 * Starts all of `callers` while a transaction holds what `hold` locks, and ends it when each of them waits for it, after
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
    const { rows } = await holder.query<{ pid: number }>("select pg_backend_pid() as pid");
    const outcomes = Promise.allSettled(callers.map((call) => call()));
    await eventually(async () => {
      const blocked = await pool.query(WAITING, [rows[0]?.pid]);
      assert.equal(blocked.rowCount, callers.length);
    });
    await last(holder);
    await holder.query("commit");
    return await outcomes;
  } finally {
    // Whatever went wrong: with the connection its locks end.
    holder.release(true);
  }
}
