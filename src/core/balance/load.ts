// Says how loaded a node is, when it is hot and when it is under the thresholds again.
import type { NodeState } from "../placement/snapshot.js";
import { SETTINGS } from "../settings.js";
import { percentAbove } from "../units.js";

/** Limits of load, in percent of a node's RAM and CPU. */
export interface Thresholds {
  readonly ramPercent: number;
  readonly cpuPercent: number;
}

export const DEFAULT_THRESHOLDS: Thresholds = {
  ramPercent: SETTINGS.ramThresholdPercent.initial,
  cpuPercent: SETTINGS.cpuThresholdPercent.initial,
};

/** Shares 0..1 of the node's RAM and CPU (average of 30 minutes); unknown CPU is null. */
export interface Load {
  readonly ram: number;
  readonly cpu: number | null;
}

/** Sums of loads are inexact in the last digits: what differs by less is at the threshold, and equally far above it. */
const TOLERANCE = 1e-9;

const exact = (share: number): number => Math.round(share / TOLERANCE) * TOLERANCE;

/** @returns the load of a node. */
export const loadOf = ({
  memoryUsedMb,
  memoryMb,
  cpuAverage,
}: Pick<NodeState, "memoryMb" | "memoryUsedMb" | "cpuAverage">): Load => ({
  ram: memoryMb > 0 ? memoryUsedMb / memoryMb : 0,
  cpu: cpuAverage,
});

/** @returns how far the load is above a threshold, the larger of both, as a share; 0 or less: not above. */
export function excess({ ram, cpu }: Load, { ramPercent, cpuPercent }: Thresholds): number {
  const ofRam = ram - ramPercent / 100;
  return exact(cpu === null ? ofRam : Math.max(ofRam, cpu - cpuPercent / 100));
}

/** @returns the shares of RAM and CPU that must go, and more than that, before the load is under both thresholds. */
export const tooMuch = ({ ram, cpu }: Load, { ramPercent, cpuPercent }: Thresholds): { ram: number; cpu: number } => ({
  ram: ram - ramPercent / 100 + TOLERANCE,
  cpu: cpu === null ? -Infinity : cpu - cpuPercent / 100 + TOLERANCE,
});

/** @returns whether RAM or CPU is above its threshold; exactly at it is not hot, and unknown CPU never is. */
export const isHot = (load: Load, thresholds: Thresholds): boolean => excess(load, thresholds) > 0;

/** @returns whether RAM and CPU are both strictly below their thresholds; unknown CPU counts as below. */
export const isUnder = (load: Load, thresholds: Thresholds): boolean => excess(load, thresholds) < 0;

/** @returns what makes the node hot, with the numbers. */
export function describeHeat({ ram, cpu }: Load, { ramPercent, cpuPercent }: Thresholds): string {
  const above = [
    ...(exact(ram - ramPercent / 100) > 0 ? [`RAM ${percentAbove(ram, ramPercent)} is above ${ramPercent} %`] : []),
    ...(exact((cpu ?? 0) - cpuPercent / 100) > 0
      ? [`CPU ${percentAbove(cpu ?? 0, cpuPercent)} is above ${cpuPercent} %`]
      : []),
  ];
  return above.join(", ");
}
