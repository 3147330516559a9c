// Reserves the room of a guest that is being reinstalled: what it has itself, and what the further disks of its template take besides.
import type { PoolClient } from "pg";
import { loadSnapshot } from "../../src/placement/placementSnapshot.js";
import { freeBytes, isRoomKnown } from "../../src/core/placement/capacity.js";
import type { StorageState } from "../../src/core/placement/snapshot.js";
import { gib, gibNeeded, GIB } from "../../src/core/units.js";
import { inTransaction } from "../../src/db/transaction.js";
import { DroverError } from "../../src/errors/errors.js";
import * as capacity from "../../src/store/capacity.js";
import { holdJob } from "../../src/store/job/lease.js";
import { inFencedTransaction, lost } from "../engine/journal.js";
import { targetOf } from "../guest/target.js";
import { keptOf, type ReinstallContext } from "./context.js";

/** What the new guest's disks have, in bytes; null: an earlier version has examined the guest, and did not look at the template's other disks. */
export function newDisks(context: ReinstallContext): { readonly bytes: number; readonly systemBytes: number } | null {
  const { furtherDiskBytes } = context.facts;
  if (furtherDiskBytes === undefined) return null;
  const systemBytes = Math.round(keptOf(context).diskGb * GIB);
  return { bytes: systemBytes + furtherDiskBytes, systemBytes };
}

/** While the guest is away its capacity is reserved for it; the reservation ends as a creation's does. Repeatable. */
export async function reserveRoom(context: ReinstallContext): Promise<void> {
  const { services, job } = context;
  const room = await roomOf(context);
  await inFencedTransaction(services.pool, job, (client) => capacity.keepForGuest(client, room));
}

/**
 * The old guest leaves no room for further disks: it is reserved, with the guest's own, before anything is touched. Repeatable.
 * @throws DroverError conflict `NO_NODE_HAS_ROOM`
 */
export async function reserveFurtherRoom(context: ReinstallContext, furtherBytes: number): Promise<void> {
  if (furtherBytes === 0) return;
  const { services, job } = context;
  const room = await roomOf(context);
  await inTransaction(services.pool, async (client) => {
    await capacity.lockHost(client, room.hostId);
    requireFree(await storageOf(client, context), furtherBytes, context);
    if (!(await holdJob(client, job))) throw lost(job);
    await capacity.keepForGuest(client, room);
  });
}

async function roomOf(context: ReinstallContext): Promise<Parameters<typeof capacity.keepForGuest>[1]> {
  const { job } = context;
  const { guest, storage, memoryMb: kept, diskGb } = keptOf(context);
  const memoryMb = kept ?? (await targetOf(context))?.memoryMb ?? 0;
  const diskBytes = newDisks(context)?.bytes ?? Math.round(diskGb * GIB);
  return { jobId: job.id, hostId: job.hostId ?? -1, node: guest.node, storage, memoryMb, diskBytes };
}

/** The guest's storage, as if the job had reserved nothing; undefined: it is not on record. */
async function storageOf(client: PoolClient, context: ReinstallContext): Promise<StorageState | undefined> {
  const { services, job } = context;
  const { guest, storage } = keptOf(context);
  const asked = { scope: [job.hostId ?? -1], node: guest.node, exceptJobId: job.id };
  const { snapshot } = await loadSnapshot(client, services.clock, asked);
  return snapshot.nodes[0]?.storages.find(({ name }) => name === storage);
}

function requireFree(storage: StorageState | undefined, bytes: number, context: ReinstallContext): void {
  const { guest, storage: name } = keptOf(context);
  const place = `storage ${name} of node ${guest.node}`;
  if (storage === undefined || !isRoomKnown(storage))
    throw noRoom(bytes, `how much room ${place} has is not known: its host does not tell`);
  if (freeBytes(storage) >= bytes) return;
  const reserved = storage.reservedBytes > 0 ? ` besides ${gib(storage.reservedBytes)} reserved already` : "";
  throw noRoom(bytes, `${place} has ${gib(freeBytes(storage))} free${reserved}`);
}

const noRoom = (bytes: number, why: string): DroverError =>
  new DroverError("conflict", `the template's further disks need ${gibNeeded(bytes)}, ${why}`, {
    reason: "NO_NODE_HAS_ROOM",
  });
