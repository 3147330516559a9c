// Deletes what the inventory no longer keeps: a periodic task.
import type { Services } from "../context/context.js";
import * as agentJobs from "../store/agentJob.js";
import * as guests from "../store/guest/record.js";
import * as nodeSamples from "../store/nodeSample.js";
import { AGENT_JOB_RETENTION_HOURS, GONE_RETENTION_DAYS, SAMPLE_RETENTION_HOURS } from "./retention.js";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** Deletes guests that are gone, samples that are old and finished work of agents. A guest's jobs stay, without it. */
export async function pruneInventory({ pool, clock }: Pick<Services, "pool" | "clock">): Promise<void> {
  const now = clock.now();
  await guests.deleteGoneBefore(pool, new Date(now.getTime() - GONE_RETENTION_DAYS * DAY_MS));
  await nodeSamples.deleteBefore(pool, new Date(now.getTime() - SAMPLE_RETENTION_HOURS * HOUR_MS));
  await agentJobs.deleteEnded(pool, { at: now, hours: AGENT_JOB_RETENTION_HOURS });
}
