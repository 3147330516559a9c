// Plans where the guests of a host go when it is emptied: for the whole run at once, so that no target is over-filled.
import type { GuestTraits } from "../migration/guestTraits.js";
import { bySize, isRefusedBy, leadsBack, placeFor, type MovableGuest } from "../migration/movableGuest.js";
import { EVERY_NODE, type PlacementContext, type PlacementSettings } from "../placement/context.js";
import { bestNode, describeDropped, place, type RankedNode } from "../placement/place.js";
import { reservePlace } from "../placement/reserve.js";
import type { ScoredNode } from "../placement/score.js";
import type { PlacementRequest, Snapshot } from "../placement/snapshot.js";

/** Where the operator wants the guests; null leaves it to placement among all other hosts. */
export interface EvacuationTarget {
  readonly hostId: number | null;
  readonly node: string | null;
}

/** Where one guest goes, or why it stays. */
export type PlannedDestination =
  | { readonly guest: MovableGuest; readonly hostId: number; readonly node: string; readonly storage: string }
  | { readonly guest: MovableGuest; readonly reason: string };

interface EvacuationTerms {
  readonly sourceHostId: number;
  readonly target: EvacuationTarget;
  readonly settings: PlacementSettings;
}

/** @returns whether a guest is offered for evacuation at all: templates, safety copies and busy guests never are. */
export const isOffered = ({ template, safetyCopy, busyWith }: GuestTraits): boolean =>
  !template && !safetyCopy && busyWith === null;

/** All is planned again at most so often, and only while guests by nodes by plans stay below the second: a second of work. */
const MOST_PLANS = 10;
const MOST_LOOKS = 1_000_000;

/**
 * Large guests choose first: the small ones fit into what they leave. Where some find no place all the same, all is planned
 * again with these first, for others may have had a choice. The plan that leaves the fewest guests counts, of equals the first.
 * @returns a destination for each guest, in the order in which they were given.
 */
export function planEvacuation(
  snapshot: Snapshot,
  guests: readonly MovableGuest[],
  terms: EvacuationTerms,
): PlannedDestination[] {
  const context = evacuationContext(terms);
  const movable = guests.filter(({ obstacle }) => obstacle === null);
  const mostPlans = Math.min(MOST_PLANS, MOST_LOOKS / (movable.length * snapshot.nodes.length));
  const plan = planLeavingFewest(movable.toSorted(bySize).toReversed(), mostPlans, (turns) =>
    planInTurn(snapshot, turns, context),
  );
  const whyLeft = reasons(context);
  return guests.map((guest) => {
    const found = plan.places.get(guest);
    if (found !== undefined) return { guest, ...found };
    return { guest, reason: guest.obstacle ?? whyLeft(guest, plan.left.get(guest) ?? snapshot) };
  });
}

/** Where guests go that choose one after the other. */
interface Plan {
  readonly places: ReadonlyMap<MovableGuest, Place>;
  /** Those without a place, in the order of their turns, each with what it found. */
  readonly left: ReadonlyMap<MovableGuest, Snapshot>;
}

type Place = Pick<RankedNode, "hostId" | "node" | "storage">;

function planLeavingFewest(
  firstTurns: readonly MovableGuest[],
  mostPlans: number,
  planFor: (turns: readonly MovableGuest[]) => Plan,
): Plan {
  let turns = firstTurns;
  let plan = planFor(turns);
  let best = plan;
  for (let made = 1; made < mostPlans && !hadFirstChoice([...plan.left.keys()], turns); made++) {
    turns = [...plan.left.keys(), ...plan.places.keys()];
    plan = planFor(turns);
    if (plan.left.size < best.left.size) best = plan;
  }
  return best;
}

/** Then nobody has taken a place from them; nor where there are none. */
const hadFirstChoice = (left: readonly MovableGuest[], turns: readonly MovableGuest[]): boolean =>
  left.every((guest, turn) => guest === turns[turn]);

/** Each takes the best place that those before it have left. */
function planInTurn(snapshot: Snapshot, turns: readonly MovableGuest[], context: PlacementContext): Plan {
  const places = new Map<MovableGuest, Place>();
  const left = new Map<MovableGuest, Snapshot>();
  // Room only shrinks: what has fitted nowhere once fits nowhere later.
  const tooLarge = new Set<string>();
  let world = snapshot;
  for (const guest of turns) {
    const request = evacuatedPlace(guest);
    const size = sizeOf(guest);
    const best = tooLarge.has(size) ? null : bestTarget(openTo(guest, world), request, context);
    if (best === null) {
      tooLarge.add(size);
      left.set(guest, world);
      continue;
    }
    const found = { hostId: best.node.host.id, node: best.node.name, storage: best.storage.name };
    places.set(guest, found);
    world = reservePlace(world, found, request);
  }
  return { places, left };
}

/** The best of those that the guest could come back from; of all others where it fits on none of these. */
function bestTarget(open: Snapshot, request: PlacementRequest, context: PlacementContext): ScoredNode | null {
  const returning = open.nodes.filter((node) => leadsBack(node, request));
  const best = bestNode({ ...open, nodes: returning }, request, context);
  return best ?? (returning.length < open.nodes.length ? bestNode(open, request, context) : null);
}

/** @returns how to say why a guest fits nowhere: on a full fleet many of one size get the same long answer. */
function reasons(context: PlacementContext): (guest: MovableGuest, world: Snapshot) => string {
  const known = new Map<string, { readonly world: Snapshot; readonly reason: string }>();
  return (guest, world) => {
    const size = sizeOf(guest);
    const before = known.get(size);
    if (before?.world === world) return before.reason;
    const reason = describeDropped(place(openTo(guest, world), evacuatedPlace(guest), context).dropped);
    known.set(size, { world, reason });
    return reason;
  };
}

/** @returns the same for guests that fit the same nodes. */
const sizeOf = (guest: MovableGuest): string => JSON.stringify([evacuatedPlace(guest), guest.refusedBy?.nodes]);

/** @returns the nodes that are not known to fail the guest's pre-flight. */
const openTo = (guest: MovableGuest, { now, nodes }: Snapshot): Snapshot =>
  guest.refusedBy === undefined ? { now, nodes } : { now, nodes: nodes.filter((node) => !isRefusedBy(guest, node)) };

/** @returns the place that an evacuated guest needs: its disks go to the storage of their own name where there is one. */
export const evacuatedPlace = (guest: MovableGuest): PlacementRequest => ({
  ...placeFor(guest),
  ...(guest.storage !== null && { storage: guest.storage }),
});

/** @returns what the place of one evacuated guest is asked under. */
export const evacuationContext = ({ sourceHostId, target, settings }: EvacuationTerms): PlacementContext => ({
  ...EVERY_NODE,
  settings,
  hostId: target.hostId,
  node: target.node,
  exceptHostId: sourceHostId,
});
