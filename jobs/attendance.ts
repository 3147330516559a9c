// Puts on record which queues this worker serves, so that work which nobody serves can be told from work that waits its turn.
import { setTimeout as delay } from "node:timers/promises";
import type { Services } from "../src/context.js";
import type { WorkQueue } from "../src/core/workQueue.js";

const INTERVAL_MS = 15_000;

/** A worker by its name in the database. */
export interface Attendance {
  readonly name: string;
  readonly queues: readonly WorkQueue[];
}

/** Workers that were not seen for days are forgotten on the way. */
const ATTEND = `
  with forgotten as (delete from worker where seen_at < now() - interval '2 days' and name <> $1)
  insert into worker (name, queues) values ($1, $2)
  on conflict (name) do update set queues = excluded.queues, seen_at = now()`;

/** Says that the worker is there now. */
export async function attend({ pool }: Pick<Services, "pool">, { name, queues }: Attendance): Promise<void> {
  await pool.query(ATTEND, [name, queues]);
}

/** Says so again and again until `stopping`. */
export async function attendUntil(stopping: AbortSignal, services: Services, attendance: Attendance): Promise<void> {
  for (;;) {
    await delay(INTERVAL_MS, undefined, { signal: stopping }).catch(() => undefined);
    if (stopping.aborted) return;
    await attend(services, attendance).catch((error: unknown) =>
      services.log.warn({ err: error }, "this worker could not put itself on record"),
    );
  }
}

/** A resident worker that stops is not waited for. */
export async function leave({ pool, log }: Pick<Services, "pool" | "log">, { name }: Attendance): Promise<void> {
  await pool
    .query(`delete from worker where name = $1`, [name])
    .catch((error: unknown) => log.warn({ err: error }, "this worker could not take itself off the record"));
}
