// Registers a worker with the queues that it serves and its standing work, so that the service can tell what nobody does.
import type { Services } from "../../src/context/context.js";
import { draining } from "../../src/observability/metrics.js";
import { registerWorker, unregisterWorker, type Registration } from "../../src/store/worker.js";
import { pause } from "../../src/concurrency/pause.js";

const INTERVAL_MS = 15_000;

let wasDrained = false;

/** Records that the worker is present, and logs the begin or end of a drain since the last time. */
export async function register(
  { pool, log }: Pick<Services, "pool" | "log">,
  registration: Registration,
): Promise<void> {
  const drainedBy = await registerWorker(pool, registration);
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
      services.log.warn({ err: error }, "worker registration failed"),
    );
  }
}

/** Takes a worker that stops off the record; a failure is only logged. */
export async function unregister(
  { pool, log }: Pick<Services, "pool" | "log">,
  { name }: Pick<Registration, "name">,
): Promise<void> {
  await unregisterWorker(pool, name).catch((error: unknown) =>
    log.warn({ err: error }, "worker deregistration failed"),
  );
}
