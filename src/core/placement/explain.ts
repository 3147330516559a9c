// Says in one sentence how a node's score came about, from the same parts that it was added up from.
import { gib, mib, percent, share } from "../units.js";
import { freeBytes, freeMemoryMb, requestedBytes } from "./capacity.js";
import type { Weights } from "./context.js";
import type { ScoredNode } from "./score.js";
import type { PlacementRequest } from "./snapshot.js";

/** Renders the explanation of one node. */
export type Explain = (scored: ScoredNode) => string;

/** @returns the renderer of explanations for one request; what all nodes have in common is prepared once. */
export function explainer(request: PlacementRequest, weights: Weights): Explain {
  const sum = weights.ram + weights.cpu + weights.storage;
  const ofRam = `= ${share(weights.ram / sum)} × RAM`;
  const ofCpu = `+ ${share(weights.cpu / sum)} × CPU`;
  const ofStorage = `+ ${share(weights.storage / sum)} × storage`;
  const diskBytes = requestedBytes(request);
  return ({ node, storage, score, ramScore, cpuScore, storageScore }) =>
    `score ${share(score)} ` +
    `${ofRam} ${share(ramScore)} (${mib(freeMemoryMb(node) - request.memoryMb)} of ${mib(node.memoryMb)} free after) ` +
    `${ofCpu} ${share(cpuScore)} (${cpuUse(node.cpuAverage)}) ` +
    `${ofStorage} ${share(storageScore)} (${storage.name}: ` +
    `${gib(freeBytes(storage) - diskBytes)} of ${gib(storage.totalBytes)} free after)`;
}

const cpuUse = (average: number | null): string =>
  average === null ? "no sample in the last 30 minutes, counted as busy" : `${percent(average)} busy over 30 minutes`;
