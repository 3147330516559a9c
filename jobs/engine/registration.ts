// Registers a worker with the queues that it serves and its standing work, so that the service can tell what nobody does.
import type { Services } from "../../src/context/context.js";
import type { Duty } from "../../src/core/duty.js";
import type { WorkQueue } from "../../src/core/workQueue.js";
import { draining } from "../../src/observability/metrics.js";
import { pause } from "../../src/concurrency/pause.js";

const INTERVAL_MS = 15_000;

let wasDrained = false;

/** A worker by its name in the database. */
interface Registration {
  readonly name: string;
  readonly queues: readonly WorkQueue[];
  /** The standing work that it does beside them. */
  readonly duties: readonly Duty[];
}

/** Also deletes workers that have not been seen for days. */
const REGISTER = `
  with forgotten as (delete from worker where seen_at < now() - interval '2 days' and name <> $1)
  insert into worker (name, queues, duties) values ($1, $2, $3)
  on conflict (name) do update set queues = excluded.queues, duties = excluded.duties, seen_at = now()
  returning (select begun_by from drain) as "drainedBy"`;

/** Records that the worker is there now, and tells when a drain began or ended since the last time. */
export async function register(
  { pool, log }: Pick<Services, "pool" | "log">,
  { name, queues, duties }: Registration,
): Promise<void> {
  const { rows } = await pool.query<{ drainedBy: string | null }>(REGISTER, [name, queues, duties]);
  const drainedBy = rows[0]?.drainedBy ?? null;
  const isDrained = drainedBy !== null;
  if (isDrained !== wasDrained) log.info({ drainedBy }, isDrained ? "no jobs are begun" : "jobs are begun again");
  wasDrained = isDrained;
  draining.set(Number(isDrained));
}

/** Renews the registration until `stopping`. */
export async function keepRegistered(
  stopping: AbortSignal,
  services: Services,
  registration: Registration,
): Promise<void> {
  for (;;) {
    await pause(INTERVAL_MS, stopping);
    if (stopping.aborted) return;
    await register(services, registration).catch((error: unknown) =>
      services.log.warn({ err: error }, "this worker could not put itself on record"),
    );
  }
}

/** Takes a worker that stops off the record; a failure is only logged. */
export async function unregister(
  { pool, log }: Pick<Services, "pool" | "log">,
  { name }: Pick<Registration, "name">,
): Promise<void> {
  await pool
    .query(`delete from worker where name = $1`, [name])
    .catch((error: unknown) => log.warn({ err: error }, "this worker could not take itself off the record"));
}
