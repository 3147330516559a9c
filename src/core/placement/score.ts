// Scores an eligible node: three parts, each a share of the node's own capacity, weighted and added up.
import { freeBytes, freeMemoryMb, requestedBytes, storageFor } from "./capacity.js";
import type { Weights } from "./context.js";
import { byHostAndName, nameOf } from "./nodeSet.js";
import type { NodeState, PlacementRequest, StorageState } from "./snapshot.js";

/** An eligible node with its score, and the parts of it: each 0..1, higher for more room, rounded to 1e-6. */
export interface ScoredNode {
  readonly node: NodeState;
  readonly storage: StorageState;
  readonly score: number;
  /** Free RAM after placement ÷ total RAM. */
  readonly ramScore: number;
  /** Idle CPU, average of 30 minutes; a node without samples counts as busy. */
  readonly cpuScore: number;
  /** Free space after placement ÷ total, of the chosen storage. */
  readonly storageScore: number;
}

/** @returns the node, scored for the request; null when it has no storage that the disk could go to. */
export function scoreNode(node: NodeState, request: PlacementRequest, weights: Weights): ScoredNode | null {
  const storage = storageFor(node, request);
  if (storage === null) return null;
  const ram = shareOf(freeMemoryMb(node) - request.memoryMb, node.memoryMb);
  const cpu = node.cpuAverage === null ? 0 : clamp(1 - node.cpuAverage);
  const disk = shareOf(freeBytes(storage) - requestedBytes(request), storage.totalBytes);
  const sum = weights.ram + weights.cpu + weights.storage;
  const score = (weights.ram * ram + weights.cpu * cpu + weights.storage * disk) / sum;
  return {
    node,
    storage,
    score: round(score),
    ramScore: round(ram),
    cpuScore: round(cpu),
    storageScore: round(disk),
  };
}

/** Orders the best first: higher score, then fewer guests, then host id, then node name. */
export function byRank(left: ScoredNode, right: ScoredNode): number {
  if (left.score !== right.score) return right.score - left.score;
  if (left.node.guestCount !== right.node.guestCount) return left.node.guestCount - right.node.guestCount;
  return byHostAndName(nameOf(left.node), nameOf(right.node));
}

const shareOf = (part: number, whole: number): number => (whole > 0 ? clamp(part / whole) : 0);

const clamp = (value: number): number => Math.min(1, Math.max(0, value));

const round = (value: number): number => Math.round(value * 1e6) / 1e6;
