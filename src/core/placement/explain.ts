// Says in one sentence how a node's score came about, from the same parts that it was added up from.
import { gib, mib, percent, share } from "../units.js";
import { freeBytes, freeMemoryMb, requestedBytes } from "./capacity.js";
import type { Weights } from "./context.js";
import type { ScoredNode } from "./score.js";
import type { PlacementRequest } from "./snapshot.js";

/** Explains the score of any node. */
export type Explain = (scored: ScoredNode) => string;

/** @returns what explains scores for one request. */
export function explainerOf(request: PlacementRequest, weights: Weights): Explain {
  const sum = weights.ram + weights.cpu + weights.storage;
  const [ramWeight, cpuWeight, storageWeight] = [weights.ram, weights.cpu, weights.storage].map((one) =>
    share(one / sum),
  );
  const diskBytes = requestedBytes(request);
  return ({ node, storage, score, ramScore, cpuScore, storageScore }) =>
    `score ${share(score)} = ${ramWeight} × RAM ${share(ramScore)} ` +
    `(${mib(freeMemoryMb(node) - request.memoryMb)} of ${mib(node.memoryMb)} free after) ` +
    `+ ${cpuWeight} × CPU ${share(cpuScore)} (${cpuUse(node.cpuAverage)}) ` +
    `+ ${storageWeight} × storage ${share(storageScore)} ` +
    `(${storage.name}: ${gib(freeBytes(storage) - diskBytes)} of ${gib(storage.totalBytes)} free after)`;
}

const cpuUse = (average: number | null): string =>
  average === null ? "no sample in the last 30 minutes, counted as busy" : `${percent(average)} busy over 30 minutes`;
