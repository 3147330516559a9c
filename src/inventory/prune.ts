// Deletes what the inventory no longer keeps: a periodic task.
import type { Services } from "../context/context.js";
import * as guests from "../store/guest/record.js";
import { AGENT_JOB_RETENTION_HOURS, GONE_RETENTION_DAYS, SAMPLE_RETENTION_HOURS } from "./retention.js";

const DAY_MS = 24 * 60 * 60 * 1000;

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
