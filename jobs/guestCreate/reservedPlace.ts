// Checks whether creations still fit the nodes that were reserved for them; jobs of one host that ask together are answered together.
import type { Pool } from "pg";
import type { Clock } from "../../src/concurrency/clock.js";
import { loadSnapshot } from "../../src/placement/placementSnapshot.js";
import type { CreationInput } from "../../src/job/creationInput.js";
import { EVERY_NODE } from "../../src/core/placement/context.js";
import { placeBest, type RankedNode } from "../../src/core/placement/place.js";
import { reservePlace } from "../../src/core/placement/reserve.js";
import type { PlacementRequest, Snapshot } from "../../src/core/placement/snapshot.js";
import { GIB } from "../../src/core/units.js";
import { HostBatches } from "../../src/concurrency/hostBatches.js";
import * as creationPlaces from "../../src/store/creationPlace.js";

/** A job that asks whether its guest still fits. */
interface Asking {
  readonly jobId: number;
  readonly node: string;
  readonly request: PlacementRequest;
  readonly image: CreationInput["image"];
  readonly clock: Clock;
}

/** A creation, as its node is looked at. */
export const creationOf = (jobId: number, image: Asking["image"]): creationPlaces.CreationWithImage => ({
  jobId,
  volid: image.kind === "file" ? image.volid : null,
  templateId: image.kind === "template" ? image.templateId : null,
});

const batches = new HostBatches(lookTogether, { atOnce: 1, largest: 64, mostWaiting: 10_000 });

/**
 * The place that is reserved for the job, if the same rules as at the start, with live reservations, choose it again: then no lock
 * is needed. Null: another place has to be found.
 */
export const reservedPlace = (pool: Pool, hostId: number, asking: Asking): Promise<RankedNode | null> =>
  batches.add(pool, hostId, asking);

async function lookTogether(
  pool: Pool,
  hostId: number,
  asking: readonly Asking[],
): Promise<(job: Asking) => RankedNode | null> {
  const [first, ...others] = asking;
  if (first === undefined) return () => null;
  const node = others.every((other) => other.node === first.node) ? first.node : null;
  const { snapshot, settings } = await loadSnapshot(pool, first.clock, { scope: [hostId], node });
  const asked = asking.map(({ jobId, image }) => creationOf(jobId, image));
  const reservations = new Map((await creationPlaces.reserved(pool, hostId, asked)).map((row) => [row.jobId, row]));
  return (job) => {
    const reserved = reservations.get(job.jobId);
    if (reserved?.usable !== true || reserved.node !== job.node) return null;
    const conditions = { ...EVERY_NODE, settings, scope: [hostId], node: job.node };
    const best = placeBest(without(snapshot, hostId, reserved), job.request, conditions);
    return best?.storage === reserved.storage ? best : null;
  };
}

/** As if nothing had been reserved for the job. */
const without = (
  snapshot: Snapshot,
  hostId: number,
  { node, storage, memoryMb, diskBytes }: creationPlaces.ReservedPlace,
): Snapshot => reservePlace(snapshot, { hostId, node, storage }, { memoryMb: -memoryMb, diskGb: -diskBytes / GIB });
