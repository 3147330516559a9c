// Deletes what the inventory no longer keeps, once an hour in one of the processes.
import type { Services } from "../context.js";
import { AGENT_JOB_RETENTION_HOURS, GONE_RETENTION_DAYS, SAMPLE_RETENTION_HOURS } from "./retention.js";

const NAME = "inventory";

// Whoever moves the due time does the work; a missed hour is caught up by the next who looks.
const CLAIM = `
  with known as (insert into schedule (name, due_at) values ($1, now() + interval '1 hour') on conflict do nothing returning name),
    due as (update schedule set due_at = now() + interval '1 hour', last_started_at = now() where name = $1 and due_at <= now() returning name)
  select name from known union all select name from due`;

/** Runs the prune when it is due. @returns whether it was */
export async function pruneWhenDue(services: Services): Promise<boolean> {
  const { rowCount } = await services.pool.query(CLAIM, [NAME]);
  if (rowCount === 0) return false;
  await pruneInventory(services);
  await services.pool.query(`update schedule set last_finished_at = now() where name = $1`, [NAME]);
  return true;
}

/** Deletes guests that are gone, samples that are old and finished work of agents. A guest's jobs stay, without it. */
export async function pruneInventory({ pool, clock }: Pick<Services, "pool" | "clock">): Promise<void> {
  const now = clock.now();
  await pool.query(`delete from guest where gone_at < $1::timestamptz - $2 * interval '1 day'`, [
    now,
    GONE_RETENTION_DAYS,
  ]);
  await pool.query(`delete from node_sample where at < $1::timestamptz - $2 * interval '1 hour'`, [
    now,
    SAMPLE_RETENTION_HOURS,
  ]);
  // What nobody answered or withdrew before its deadline, because the process ended, is over too.
  await pool.query(`delete from agent_job where coalesce(finished_at, deadline) < now() - $1 * interval '1 hour'`, [
    AGENT_JOB_RETENTION_HOURS,
  ]);
}
