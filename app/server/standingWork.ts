// Starts a worker that stays, with all of the standing work that its queues bring: the same for the service and for `drover worker`.
import type { JobQueue } from "../../jobs/queue/queue.js";
import { startWorker } from "../../jobs/worker.js";
import type { Services } from "../../src/context/context.js";
import { dutiesOf, Duty } from "../../src/core/duty.js";
import type { WorkQueue } from "../../src/core/workQueue.js";
import { startInventory } from "../../src/inventory/loop.js";
import { observeJob } from "../../src/observability/metrics.js";
import type { Teardown } from "./teardown.js";

interface StandingWork {
  readonly services: Services;
  readonly queue: JobQueue;
  /** Which queues it serves. */
  readonly queues: readonly WorkQueue[];
  readonly teardown: Teardown;
}

/** Works until the teardown. */
export async function startStandingWork({ services, queue, queues, teardown }: StandingWork): Promise<void> {
  const duties = dutiesOf(queues);
  const worker = await startWorker(services, queue, { queues, duties, observe: observeJob });
  teardown.add("workers", "worker", () => worker.stop());
  if (!duties.includes(Duty.HOST_SYNC)) return;
  const inventory = startInventory(services);
  teardown.add("workers", "inventory", () => inventory.stop());
}
