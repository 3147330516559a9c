// Finds a place for an accepted guest and has it reserved: node, storage, VMID and address in one transaction with the job.
import type { Context } from "../context/context.js";
import type { Scope } from "../core/access/scope.js";
import type { PlacementContext } from "../core/placement/context.js";
import { describeDropped, place, placeBest, type DroppedNode } from "../core/placement/place.js";
import type { Snapshot } from "../core/placement/snapshot.js";
import { DroverError } from "../errors/errors.js";
import type { AcceptedGuest, QueuedGuest } from "./creation.js";
import { placementContext } from "./placementContext.js";
import { reserveOn } from "./reservations.js";
import { isNoFreeVmid } from "../reads/models/nextVmid.js";
import { noRoom } from "./reserveTogether.js";
import * as vmids from "../store/vmid.js";

/** Between a choice across hosts and its reservation another request may take the room: then the next best is tried. */
const CHOICES = 8;

/** @throws DroverError conflict */
export async function reserveGuest(context: Context, guest: AcceptedGuest, scope: Scope): Promise<QueuedGuest> {
  const usedUp: UsedUp = new Map();
  for (let choice = 1; choice <= CHOICES; choice++) {
    const hostId = guest.hostId ?? (await bestHost(context, guest, { scope, usedUp }));
    const last = guest.hostId !== null || choice === CHOICES;
    try {
      const queued = await reserveOn(hostId, { context, guest, last });
      if (queued !== null) return queued;
    } catch (error) {
      if (last || !isNoFreeVmid(error)) throw error;
      usedUp.set(hostId, error);
    }
  }
  throw noRoom("no node has room: others took it at the same time");
}

/** Hosts that were found to have no VMID to give, by id, with the refusal of each. */
type UsedUp = Map<number, DroverError>;

interface Choosing {
  readonly scope: Scope;
  readonly usedUp: UsedUp;
}

/** The host of the best node in scope where the wanted VMID is free, looked at without a lock. @throws DroverError conflict */
async function bestHost(context: Context, guest: AcceptedGuest, { scope, usedUp }: Choosing): Promise<number> {
  const { snapshot: fleet, settings } = await context.fleet.snapshot();
  const snapshot = { ...fleet, nodes: fleet.nodes.filter(({ host }) => !usedUp.has(host.id)) };
  const asker = { viewer: context.viewer, database: context.pool };
  const asked = {
    ...(await placementContext(asker, settings, { ...guest, scope })),
    wantedVmid: guest.vmid === null ? null : await whereTaken(context, snapshot, guest.vmid),
  };
  const best = placeBest(snapshot, guest.size, asked);
  if (best !== null) return best.hostId;
  for (const refusal of usedUp.values()) throw refusal;
  throw noPlace(guest, place(snapshot, guest.size, asked).dropped);
}

async function whereTaken(
  context: Context,
  { nodes }: Snapshot,
  vmid: number,
): Promise<PlacementContext["wantedVmid"]> {
  const hostIds = new Set(nodes.map(({ host }) => host.id));
  const taken = await vmids.taken(
    context.pool,
    Array.from(hostIds, (hostId) => ({ hostId, vmid })),
  );
  return { vmid, takenOn: new Set(taken.map(({ hostId }) => hostId)) };
}

/** The VMID is looked at last: a node that is dropped for it alone would have the room. */
function noPlace({ vmid }: AcceptedGuest, dropped: readonly DroppedNode[]): DroverError {
  if (!dropped.some(({ code }) => code === "VMID_TAKEN")) return noRoom(describeDropped(dropped));
  const message = describeDropped(dropped, `VMID ${vmid} is free on no host that has room`);
  return new DroverError("conflict", message, { reason: "VMID_TAKEN" });
}
