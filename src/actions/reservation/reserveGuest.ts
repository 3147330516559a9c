// Finds a place for an accepted guest and has it reserved: node, storage, VMID and address in one transaction with the job.
import type { Context } from "../../context.js";
import type { Scope } from "../../core/access/scope.js";
import { describeDropped, place, placeBest } from "../../core/placement/place.js";
import type { AcceptedGuest, QueuedGuest } from "../guest/createGuest.js";
import { placementContext } from "../placement/placementContext.js";
import { reserveOn } from "./reservations.js";
import { noRoom } from "./reserveTogether.js";

/** Between a choice across hosts and its reservation another request may take the room: then the next best is tried. */
const CHOICES = 8;

/** @throws DroverError conflict */
export async function reserveGuest(context: Context, guest: AcceptedGuest, scope: Scope): Promise<QueuedGuest> {
  for (let choice = 1; choice <= CHOICES; choice++) {
    const hostId = guest.hostId ?? (await bestHost(context, guest, scope));
    const last = guest.hostId !== null || choice === CHOICES;
    const queued = await reserveOn(hostId, { context, guest, last });
    if (queued !== null) return queued;
  }
  throw noRoom("no node has room: others took it at the same time");
}

/** The host of the best node in scope, looked at without a lock. */
async function bestHost(context: Context, guest: AcceptedGuest, scope: Scope): Promise<number> {
  const { snapshot, settings } = await context.fleet.snapshot();
  const asker = { viewer: context.viewer, database: context.pool };
  const asked = await placementContext(asker, settings, { ...guest, scope });
  const best = placeBest(snapshot, guest.size, asked);
  if (best !== null) return best.hostId;
  throw noRoom(describeDropped(place(snapshot, guest.size, asked).dropped));
}
