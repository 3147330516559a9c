// What a balance report says: hot nodes, suggested moves, guests that were passed over, and what would become of it all.
import type { MovableGuest } from "../migration/movableGuest.js";
import type { Load } from "./load.js";

/** One move, with the loads that it leads to; earlier suggestions of the report are counted in. */
export interface Suggestion {
  readonly guest: MovableGuest;
  readonly toHostId: number;
  readonly toNode: string;
  readonly toStorage: string;
  readonly sourceAfter: Load;
  readonly targetAfter: Load;
  /** MiB of RAM that the move frees on the source. */
  readonly freesMemoryMb: number;
  /** Share 0..1 of the source's CPU that the move frees. */
  readonly freesCpu: number;
  readonly explanation: string;
}

/** A running guest of a hot node that was passed over. */
export interface Skipped {
  readonly guest: MovableGuest;
  readonly reason: string;
}

export interface HotNode {
  readonly hostId: number;
  readonly node: string;
  readonly load: Load;
  readonly reason: string;
  /** Why the node stays hot after all suggestions; null when it does not. */
  readonly unresolvedReason: string | null;
}

export interface BalanceReport {
  /** Hottest first. */
  readonly hotNodes: readonly HotNode[];
  readonly suggestions: readonly Suggestion[];
  readonly skipped: readonly Skipped[];
  /** How many nodes are hot once every suggestion was carried out. */
  readonly hotAfter: number;
  /** The loads of all nodes then, in the order of the snapshot. */
  readonly loadsAfter: readonly Load[];
}
