// Finds jobs that nobody works on and wakes a worker for them: after a crash, a wiped queue, or a wake-up that never came.
import { setTimeout as delay } from "node:timers/promises";
import type { Services } from "../src/context.js";
import type { JobKind } from "../src/core/enums.js";

const INTERVAL_MS = 2_000;
/** A wake-up that led to nothing for so long is repeated. */
const PATIENCE_SECONDS = 20;
/** Whoever makes a job wakes a worker for it; only later it counts as forgotten. */
const GRACE_SECONDS = 3;
const BATCH = 200;

const DUE = `
  update job set dispatched_at = now() where id in (
    select id from job
    where (status = 'queued' or (status = 'running' and lease_until < now()))
      and created_at < now() - $2 * interval '1 second'
      and (dispatched_at is null or dispatched_at < now() - $1 * interval '1 second')
    order by id limit $3 for update skip locked)
  returning id, kind`;

/** Wakes workers for due and orphaned jobs until `stopping`. */
export async function dispatchUntil(stopping: AbortSignal, services: Services): Promise<void> {
  while (!stopping.aborted) {
    await dispatchDue(services).catch((error: unknown) => services.log.warn({ err: error }, "dispatching jobs failed"));
    await delay(INTERVAL_MS, undefined, { signal: stopping }).catch(() => undefined);
  }
}

/** Wakes workers once for everything that is due. @returns how many jobs were found */
async function dispatchDue(services: Services): Promise<number> {
  const { rows } = await services.pool.query<{ id: number; kind: JobKind }>(DUE, [
    PATIENCE_SECONDS,
    GRACE_SECONDS,
    BATCH,
  ]);
  await Promise.all(rows.map((job) => services.jobs.wake(job)));
  return rows.length;
}
