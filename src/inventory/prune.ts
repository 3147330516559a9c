// Deletes what the inventory no longer keeps, once an hour in one of the processes.
import type { Services } from "../context/context.js";
import { INVENTORY_TASK } from "../core/duty.js";
import * as guests from "../store/guest/record.js";
import { AGENT_JOB_RETENTION_HOURS, GONE_RETENTION_DAYS, SAMPLE_RETENTION_HOURS } from "./retention.js";

const DAY_MS = 24 * 60 * 60 * 1000;

// Whoever moves the due time does the work; a missed hour is caught up by the next who looks, as is one that a clock which was set
// back since had promised.
const CLAIM = `
  with known as (
    insert into schedule (name, due_at) values ($1, $2::timestamptz + interval '1 hour') on conflict do nothing returning name),
  due as (
    update schedule set due_at = $2::timestamptz + interval '1 hour', last_started_at = $2
    where name = $1 and (due_at <= $2 or due_at > $2::timestamptz + interval '1 hour') returning name)
  select name from known union all select name from due`;

/** Runs the prune when it is due. @returns whether it was */
export async function pruneWhenDue(services: Services): Promise<boolean> {
  const { pool, clock } = services;
  const { rowCount } = await pool.query(CLAIM, [INVENTORY_TASK, clock.now()]);
  if (rowCount === 0) return false;
  await pruneInventory(services);
  await pool.query(`update schedule set last_finished_at = $2 where name = $1`, [INVENTORY_TASK, clock.now()]);
  return true;
}

/** Deletes guests that are gone, samples that are old and finished work of agents. A guest's jobs stay, without it. */
export async function pruneInventory({ pool, clock }: Pick<Services, "pool" | "clock">): Promise<void> {
  const now = clock.now();
  await guests.deleteGoneBefore(pool, new Date(now.getTime() - GONE_RETENTION_DAYS * DAY_MS));
  await pool.query(`delete from node_sample where at < $1::timestamptz - $2 * interval '1 hour'`, [
    now,
    SAMPLE_RETENTION_HOURS,
  ]);
  // What nobody answered or withdrew before its deadline, because the process ended, is over too; deadlines are the database's.
  await pool.query(
    `delete from agent_job where finished_at < $1::timestamptz - $2 * interval '1 hour' or deadline < now() - $2 * interval '1 hour'`,
    [now, AGENT_JOB_RETENTION_HOURS],
  );
}
