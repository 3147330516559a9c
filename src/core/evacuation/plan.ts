// Plans where the guests of a host go when it is emptied: for the whole run at once, so that no target is over-filled.
import type { GuestTraits } from "../migration/guestTraits.js";
import { bySize, placeFor, type MovableGuest } from "../migration/movableGuest.js";
import { EVERY_NODE, type PlacementContext, type PlacementSettings } from "../placement/context.js";
import { bestNode, describeDropped, place } from "../placement/place.js";
import { promiseRoom } from "../placement/promise.js";
import type { NodeState, Snapshot } from "../placement/snapshot.js";

/** Where the operator wants the guests; null leaves it to placement among all other hosts. */
export interface EvacuationTarget {
  readonly hostId: number | null;
  readonly node: string | null;
}

/** Where one guest goes, or why it stays. */
export type Destination =
  | { readonly guest: MovableGuest; readonly hostId: number; readonly node: string; readonly storage: string }
  | { readonly guest: MovableGuest; readonly reason: string };

interface EvacuationWish {
  readonly sourceHostId: number;
  readonly target: EvacuationTarget;
  readonly settings: PlacementSettings;
}

/** @returns whether a guest is offered for evacuation at all: templates, safety copies and busy guests never are. */
export const isOffered = ({ template, safetyCopy, busyWith }: GuestTraits): boolean =>
  !template && !safetyCopy && busyWith === null;

/**
 * Large guests choose first: the small ones fit into what they leave.
 * @returns a destination for each guest, in the order in which they were given.
 */
export function planEvacuation(
  snapshot: Snapshot,
  guests: readonly MovableGuest[],
  wish: EvacuationWish,
): Destination[] {
  const context = evacuationContext(wish);
  const world = { now: snapshot.now, nodes: [...snapshot.nodes], refusals: new Map<string, string>() };
  const destinations = new Map<MovableGuest, Destination>();
  for (const guest of guests.toSorted(bySize).toReversed()) {
    destinations.set(guest, assign(guest, world, context));
  }
  return guests.flatMap((guest) => destinations.get(guest) ?? []);
}

/** What the next guest finds. */
interface World extends Snapshot {
  readonly nodes: NodeState[];
  /** Why guests of a size fit nowhere as the nodes are now: on a full fleet many guests get the same long answer. */
  readonly refusals: Map<string, string>;
}

/** Finds the guest a place, and promises it. */
function assign(guest: MovableGuest, world: World, context: PlacementContext): Destination {
  if (guest.obstacle !== null) return { guest, reason: guest.obstacle };
  const request = placeFor(guest);
  const size = JSON.stringify(request);
  const known = world.refusals.get(size);
  if (known !== undefined) return { guest, reason: known };
  const best = bestNode(world, request, context);
  if (best === null) {
    const reason = describeDropped(place(world, request, context).dropped);
    world.refusals.set(size, reason);
    return { guest, reason };
  }
  const { node, storage } = best;
  world.nodes[world.nodes.indexOf(node)] = promiseRoom(node, storage, request);
  world.refusals.clear();
  return { guest, hostId: node.host.id, node: node.name, storage: storage.name };
}

/** @returns what the place of one evacuated guest is asked under. */
export const evacuationContext = ({ sourceHostId, target, settings }: EvacuationWish): PlacementContext => ({
  ...EVERY_NODE,
  settings,
  hostId: target.hostId,
  node: target.node,
  exceptHostId: sourceHostId,
});
