// Looks again at a suggested move when its turn has come: is the target still fit, and would it stay cool?
import { EVERY_NODE } from "../placement/context.js";
import { describeDropped, place } from "../placement/place.js";
import type { Snapshot } from "../placement/snapshot.js";
import { placeFor, type MovableGuest } from "../migration/movableGuest.js";
import type { BalanceSettings } from "./board.js";
import { loadWithGuest, loadWithReservations } from "./guestLoad.js";
import { describeHeat, isHot, isUnder } from "./load.js";

/** The node that a guest was suggested for. */
interface SuggestedTarget {
  readonly hostId: number;
  readonly node: string;
}

/**
 * The source is not asked again: the operator wants it cooler, and its averages are of the last 30 minutes.
 * @returns why the move is not made; null when it still makes sense.
 */
export function whyNoLonger(
  { now, nodes }: Snapshot,
  guest: MovableGuest,
  { target, settings }: { target: SuggestedTarget; settings: Pick<BalanceSettings, "placement" | "thresholds"> },
): string | null {
  if (!guest.running) return "the guest does not run any longer: its move would free nothing";
  const { thresholds, placement } = settings;
  const node = nodes.find(({ host, name }) => host.id === target.hostId && name === target.node);
  if (node === undefined) return `${target.node} is no longer known`;
  const { best, dropped } = place({ now, nodes: [node] }, placeFor(guest), { ...EVERY_NODE, settings: placement });
  if (best === null) return describeDropped(dropped);
  const present = loadWithReservations(node);
  if (isHot(present, thresholds)) return `${target.node} is hot itself: ${describeHeat(present, thresholds)}`;
  if (isUnder(loadWithGuest(node, guest), thresholds)) return null;
  return `${target.node} would not stay under the thresholds`;
}
