// Chooses which guest leaves a hot node next, by the mode of the report.
import { BalanceMode, GuestType } from "../enums.js";
import type { MovableGuest } from "../migration/movableGuest.js";
import type { NodeState } from "../placement/snapshot.js";
import { cheapestCover } from "./cover.js";
import { cpuShare } from "./guestLoad.js";
import { loadOf, tooMuch, type Thresholds } from "./load.js";

/**
 * @param remaining guests that were neither moved nor passed over, smallest first.
 * @returns the guest to try next; null when moving more of them makes no sense.
 */
export type Choose = (remaining: readonly MovableGuest[], node: NodeState) => MovableGuest | null;

/** What one move costs, by what the mode is to keep low. */
const COST: Readonly<Record<Exclude<BalanceMode, "smallest_first">, (guest: MovableGuest) => number>> = {
  [BalanceMode.FEWEST_MOVES]: () => 1,
  [BalanceMode.LEAST_COPY]: copiedMb,
};

/** @returns the way of choosing of a mode. */
export function chooser(mode: BalanceMode, thresholds: Thresholds): Choose {
  if (mode === BalanceMode.SMALLEST_FIRST) return ([smallest]) => smallest ?? null;
  return (remaining, node) => oneOfCover(remaining, node, { thresholds, costOf: COST[mode] });
}

/** Choosing again after every move gives the same set, or the next best one when a guest finds no target. */
function oneOfCover(
  remaining: readonly MovableGuest[],
  node: NodeState,
  { thresholds, costOf }: { thresholds: Thresholds; costOf: (guest: MovableGuest) => number },
): MovableGuest | null {
  const movable = remaining.filter(({ obstacle }) => obstacle === null);
  const items = movable.map((guest) => ({
    guest,
    cost: costOf(guest),
    ram: node.memoryMb > 0 ? guest.memoryUsedMb / node.memoryMb : 0,
    cpu: cpuShare(node, guest),
  }));
  return cheapestCover(items, tooMuch(loadOf(node), thresholds))?.at(0)?.guest ?? null;
}

/** Disks always, and RAM when the guest moves while it runs; MiB. Never 0: a move is never for nothing. */
function copiedMb({ type, diskGb, memoryMb }: MovableGuest): number {
  return Math.max(1, diskGb * 1024 + (type === GuestType.QEMU ? memoryMb : 0));
}
