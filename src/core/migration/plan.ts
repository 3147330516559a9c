// Puts the plan of a move together: what the operator sees, and decides on, before it starts.
import type { IpPlan } from "../addressing/ipPlan.js";
import { IpPlanKind, MigrationMode, Severity } from "../enums.js";
import type { PortForwardMove } from "../forwarding/portPlan.js";
import { unsizedKeys, type Disk } from "../inventory/disk.js";
import { ofSeverity, type Check } from "./check.js";
import {
  bytesPerSecond,
  bytesToCopy,
  expectedSeconds,
  isCopied,
  transferSeconds,
  type RouteHistory,
} from "./estimate.js";
import type { MappingChoice } from "./mapping.js";
import { describeDowntime } from "./mode.js";
import type { MoveFacts } from "./moveFacts.js";
import { preflight } from "./preflight.js";

interface MigrationSummary {
  readonly bytesToCopy: number;
  /** Keys of disks that it does not count, because their size is not known. */
  readonly unsizedDisks: readonly string[];
  /** Null: duration unknown. */
  readonly expectedSeconds: number | null;
  /** What the route has shown in this mode, within the limit; null: nothing. */
  readonly bytesPerSecond: number | null;
  /** Of `bytesToCopy` at that pace; null: unknown. */
  readonly transferSeconds: number | null;
  readonly downtime: string;
  readonly checkCount: number;
}

export interface MigrationPlan {
  readonly targetHostId: number;
  readonly targetNode: string;
  readonly targetVmid: number;
  readonly mode: MigrationMode;
  readonly summary: MigrationSummary;
  readonly storages: readonly MappingChoice[];
  readonly bridges: readonly MappingChoice[];
  readonly ipPlan: IpPlan;
  readonly portForwards: readonly PortForwardMove[];
  readonly problems: readonly Check[];
  readonly warnings: readonly Check[];
  readonly passed: readonly Check[];
  /** Whether nothing blocks. */
  readonly startable: boolean;
}

/** What a plan shows beside its checks. */
export interface PlanParts {
  readonly disks: readonly Disk[];
  readonly ipPlan: IpPlan;
  readonly portForwards: readonly PortForwardMove[];
  /** Of the same route, source node to target node. */
  readonly route: RouteHistory;
  /** Limit of the move, MiB/s; null: as the platform is set. */
  readonly bandwidthMib: number | null;
}

/** @returns the plan of a move, with every check sorted by what it means. */
export function migrationPlan(facts: MoveFacts, parts: PlanParts): MigrationPlan {
  const checks = preflight(facts);
  const problems = ofSeverity(checks, Severity.BLOCKING);
  return {
    targetHostId: facts.target.hostId,
    targetNode: facts.target.node,
    targetVmid: facts.targetVmid,
    mode: facts.mode,
    summary: summarize(facts, parts, checks.length),
    storages: facts.storages,
    bridges: facts.bridges,
    ipPlan: shownIpPlan(parts.ipPlan, facts.mode),
    portForwards: parts.portForwards,
    problems,
    warnings: ofSeverity(checks, Severity.WARNING),
    passed: ofSeverity(checks, Severity.PASSED),
    startable: problems.length === 0,
  };
}

/** @returns the plan of the address; of a machine that goes on running, with when it takes the new one. */
export const shownIpPlan = (plan: IpPlan, mode: MigrationMode): IpPlan =>
  plan.kind === IpPlanKind.REASSIGN && mode === MigrationMode.LIVE
    ? {
        ...plan,
        explanation: `${plan.explanation} at the machine's next start: until then it goes on with the old one`,
      }
    : plan;

function summarize({ mode, memoryMb }: MoveFacts, parts: PlanParts, checkCount: number): MigrationSummary {
  const { disks, route, bandwidthMib } = parts;
  const duration = expectedSeconds(route);
  const copying = {
    bytesToCopy: bytesToCopy(disks, mode, memoryMb),
    unsizedDisks: unsizedKeys(disks.filter(isCopied)),
    bytesPerSecond: bytesPerSecond(route, mode, bandwidthMib),
  };
  return {
    ...copying,
    expectedSeconds: duration,
    transferSeconds: transferSeconds(copying),
    downtime: describeDowntime(mode, duration),
    checkCount,
  };
}
