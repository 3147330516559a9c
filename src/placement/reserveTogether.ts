// Reserves places on one host for guests that were asked for at the same time, in one transaction with their jobs.
import type { Pool, PoolClient } from "pg";
import { place, placeBest, describeDropped } from "../core/placement/place.js";
import { reservePlace } from "../core/placement/reserve.js";
import type { Snapshot } from "../core/placement/snapshot.js";
import { inTransactionWithCommitCheck } from "../db/transactionWithCommitCheck.js";
import { DroverError } from "../errors/errors.js";
import type { ReservationRequest, PlacedCreation, QueuedGuest } from "./creation.js";
import { insertCreations } from "./insertCreations.js";
import { placementContext } from "./placementContext.js";
import { loadSnapshot } from "./placementSnapshot.js";
import type { LoadedSnapshot } from "../core/placement/context.js";
import { noFreeVmid } from "../reads/models/nextVmid.js";
import * as capacity from "../store/capacity.js";
import { takeVmids, vmidTaken } from "./takeVmid.js";

/** At least one. */
type Together = readonly [ReservationRequest, ...ReservationRequest[]];

/** What comes of it: a queued job, why there is none, or null when another host is to be chosen. */
export type Reservation = QueuedGuest | Error | null;

export const noRoom = (message: string): DroverError =>
  new DroverError("conflict", message, { reason: "NO_NODE_HAS_ROOM" });

/**
 * In the order in which they were asked for.
 * @throws DroverError when an IP zone has not enough addresses for all; nothing is reserved then
 */
export function reserveTogether(pool: Pool, hostId: number, asked: Together): Promise<Reservation[]> {
  return inTransactionWithCommitCheck(pool, async (client) => {
    await capacity.lockHost(client, hostId);
    const vmids = await takeVmids(
      client,
      hostId,
      asked.map(({ guest }) => guest.vmid),
    );
    const room = new Room(client, hostId, await loadHost(client, hostId, asked));
    const found: (PlacedCreation | DroverError | null)[] = [];
    for (const [index, one] of asked.entries()) found.push(await room.take(one, vmids[index] ?? null));
    const jobIds = await insertCreations(client, hostId, found.filter(isPlaced));
    return found.map((one) => (isPlaced(one) ? queued(one, jobIds.get(one.vmid)) : one));
  });
}

const isPlaced = (found: PlacedCreation | DroverError | null): found is PlacedCreation =>
  found !== null && "vmid" in found;

/** Only the node that all of them name, where they do. */
function loadHost(client: PoolClient, hostId: number, [first, ...others]: Together): Promise<LoadedSnapshot> {
  const { context, guest } = first;
  const node = others.every((other) => other.guest.node === guest.node) ? guest.node : null;
  return loadSnapshot(client, context.clock, { scope: [hostId], node });
}

/** The room of the host, less what is given away. */
class Room {
  #snapshot: Snapshot;

  constructor(
    private readonly client: PoolClient,
    private readonly hostId: number,
    private readonly loaded: LoadedSnapshot,
  ) {
    this.#snapshot = loaded.snapshot;
  }

  /** @param vmid null: the wanted one is taken, or none is free */
  async take(asked: ReservationRequest, vmid: number | null): Promise<PlacedCreation | DroverError | null> {
    const { context, guest, last } = asked;
    const asker = { viewer: context.viewer, database: this.client };
    const request = { ...guest, scope: [this.hostId] };
    const conditions = await placementContext(asker, this.loaded.settings, request);
    const best = placeBest(this.#snapshot, guest.size, conditions);
    if (best === null) {
      return last ? noRoom(describeDropped(place(this.#snapshot, guest.size, conditions).dropped)) : null;
    }
    if (vmid === null && guest.vmid === null) return noFreeVmid(this.client, this.hostId);
    if (vmid === null) return last ? vmidTaken(guest.vmid ?? 0) : null;
    this.#snapshot = reservePlace(this.#snapshot, best, guest.size);
    return { ...asked, vmid, best };
  }
}

function queued(
  { vmid, best: { hostId, node, storage, explanation } }: PlacedCreation,
  jobId: number | undefined,
): QueuedGuest {
  if (jobId === undefined) throw new Error("a creation was reserved without a job");
  return { queued: true, jobId, vmid, placement: { hostId, node, storage, explanation } };
}
