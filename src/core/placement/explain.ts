// Says in one sentence how a node's score came about, from the same parts that it was added up from.
import { choice, figure, joined, name, phrase, type Phrase } from "../phrase.js";
import { GIBIBYTES, MEBIBYTES, PERCENT, SHARE, share } from "../units.js";
import { freeBytes, freeMemoryMb, requestedBytes } from "./capacity.js";
import type { Weights } from "./context.js";
import type { ScoredNode } from "./score.js";
import type { PlacementRequest } from "./snapshot.js";

/** The explanation of any node's score. */
export type Explanation = Phrase<ScoredNode>;

/** @returns the explanation for one request; what all nodes have in common is prepared once. */
export function explanationOf(request: PlacementRequest, weights: Weights): Explanation {
  const sum = weights.ram + weights.cpu + weights.storage;
  const diskBytes = requestedBytes(request);
  const memoryAfter = figure(MEBIBYTES, ({ node }: ScoredNode) => freeMemoryMb(node) - request.memoryMb);
  const spaceAfter = figure(GIBIBYTES, ({ storage }: ScoredNode) => freeBytes(storage) - diskBytes);
  return joined([
    ...phrase<ScoredNode>`score ${figure(SHARE, ({ score }) => score)} `,
    ...phrase<ScoredNode>`= ${share(weights.ram / sum)} × RAM ${figure(SHARE, ({ ramScore }) => ramScore)} `,
    ...phrase<ScoredNode>`(${memoryAfter} MiB of ${figure(MEBIBYTES, ({ node }) => node.memoryMb)} MiB free after) `,
    ...phrase<ScoredNode>`+ ${share(weights.cpu / sum)} × CPU ${figure(SHARE, ({ cpuScore }) => cpuScore)} (${CPU_USE}) `,
    ...phrase<ScoredNode>`+ ${share(weights.storage / sum)} × storage ${figure(SHARE, ({ storageScore }) => storageScore)} `,
    ...phrase<ScoredNode>`(${name(({ storage }) => storage.name)}: `,
    ...phrase<ScoredNode>`${spaceAfter} GiB of ${figure(GIBIBYTES, ({ storage }) => storage.totalBytes)} GiB free after)`,
  ]);
}

const CPU_USE = choice<ScoredNode>(
  ({ node }) => node.cpuAverage === null,
  ["no sample in the last 30 minutes, counted as busy"],
  phrase`${figure(PERCENT, ({ node }) => node.cpuAverage ?? 0)} % busy over 30 minutes`,
);
