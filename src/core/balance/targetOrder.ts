// Keeps the nodes that guests may move to in the order of the most that they may score, so that the best one is found without asking all of them.
import type { Weights } from "../placement/context.js";
import { freeBytes, freeMemoryMb, requestedBytes, roomiestStorage } from "../placement/capacity.js";
import { byHostAndName, nameOf } from "../placement/nodeSet.js";
import { byRank, type ScoredNode } from "../placement/score.js";
import type { NodeState, PlacementRequest } from "../placement/snapshot.js";

/** Scores are rounded: the bound and the score may differ by so much. */
const ROUNDING = 2e-6;

interface Target {
  readonly place: number;
  readonly node: NodeState;
  /** No request scores more on the node, less what it takes of the largest node. */
  readonly bound: number;
  /** Nodes of one likeness score alike for every request: of them the first in order is the best. */
  readonly likeness: string;
}

/** Places of a snapshot, with the present states of their nodes; for guests of one type. */
export class TargetOrder {
  readonly #type: PlacementRequest["type"];
  readonly #weights: Weights;
  /** Most promising first, then as equal scores rank. */
  readonly #targets: Target[] = [];
  #mostMemoryMb = 1;
  #mostDiskBytes = 1;

  constructor(
    nodes: Iterable<readonly [place: number, node: NodeState]>,
    type: PlacementRequest["type"],
    weights: Weights,
  ) {
    this.#type = type;
    this.#weights = weights;
    for (const [place, node] of nodes) {
      const target = this.#target(place, node);
      if (target === null) continue;
      this.#targets.push(target);
      this.#mostMemoryMb = Math.max(this.#mostMemoryMb, node.memoryMb);
      this.#mostDiskBytes = Math.max(this.#mostDiskBytes, roomiestStorage(node, type)?.totalBytes ?? 0);
    }
    this.#targets.sort(byBound);
  }

  /** Takes the new state of a node. */
  change(place: number, node: NodeState): void {
    const before = this.#targets.findIndex((target) => target.place === place);
    if (before >= 0) this.#targets.splice(before, 1);
    const target = this.#target(place, node);
    if (target !== null) this.#targets.splice(this.#positionFor(target), 0, target);
  }

  /**
   * @param score the node's score for the request; null: it cannot get it
   * @returns the best of all nodes, as `byRank` has it
   */
  best(request: PlacementRequest, score: (node: NodeState) => ScoredNode | null): ScoredNode | null {
    const taken = this.#leastTaken(request);
    let best: ScoredNode | null = null;
    let likeness: string | null = null;
    for (const target of this.#targets) {
      if (best !== null && target.bound - taken + ROUNDING < best.score) break;
      if (target.likeness === likeness) continue;
      const scored = score(target.node);
      if (scored === null || (best !== null && byRank(scored, best) > 0)) continue;
      best = scored;
      likeness = target.likeness;
    }
    return best;
  }

  /** What the request takes at least of any node's score. */
  #leastTaken(request: PlacementRequest): number {
    const ofMemory = (this.#weights.ram * request.memoryMb) / this.#mostMemoryMb;
    return (ofMemory + (this.#weights.storage * requestedBytes(request)) / this.#mostDiskBytes) / sumOf(this.#weights);
  }

  #target(place: number, node: NodeState): Target | null {
    const storage = roomiestStorage(node, this.#type);
    if (storage === null) return null;
    const { ram, cpu, storage: disk } = this.#weights;
    const idle = node.cpuAverage === null ? 0 : Math.min(1, Math.max(0, 1 - node.cpuAverage));
    const [memory, space] = [freeMemoryMb(node), freeBytes(storage)];
    const sum = weighted(ram, memory, node.memoryMb) + cpu * idle + weighted(disk, space, storage.totalBytes);
    const likeness = [memory, node.memoryMb, idle, space, storage.totalBytes].join(" ");
    return { place, node, bound: sum / sumOf(this.#weights), likeness };
  }

  #positionFor(target: Target): number {
    let [low, high] = [0, this.#targets.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const there = this.#targets[middle];
      if (there !== undefined && byBound(there, target) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const sumOf = ({ ram, cpu, storage }: Weights): number => ram + cpu + storage;

/** Of what has no size nothing can be said: it is asked always. */
function weighted(weight: number, part: number, whole: number): number {
  if (weight === 0) return 0;
  return whole > 0 ? (weight * part) / whole : Infinity;
}

function byBound(left: Target, right: Target): number {
  if (left.bound !== right.bound) return right.bound - left.bound;
  if (left.node.guestCount !== right.node.guestCount) return left.node.guestCount - right.node.guestCount;
  return byHostAndName(nameOf(left.node), nameOf(right.node));
}
