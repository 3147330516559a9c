// The checks of what both ends of a move run: their versions, and the architecture of their processors.
import { MigrationMode, Severity } from "../enums.js";
import { compareVersions, isAtLeast } from "../version.js";
import type { MoveCheck, MoveEnd, MoveFacts } from "./moveFacts.js";
import { describeVersions, isOlderTunnel, tunnelsOf } from "../inventory/tunnel.js";

/** The source refuses it in every mode, before anything is copied. */
const olderTunnel: MoveCheck = {
  code: "TARGET_TUNNEL_OLDER",
  passed: "the target takes guests from the source's version",
  finding: (facts) => {
    const { type, source, target } = facts;
    if (tunnelsOf(source)[type] === null || tunnelsOf(target)[type] === null) return undefined;
    if (!hasOlderTunnel(facts)) return null;
    const ends = `${source.node} runs ${describeVersions(type, source)}, ${target.node} ${describeVersions(type, target)}`;
    return `${ends}: the newer version sends the older one no guest, running or stopped; upgrade ${target.node} first`;
  },
};

const olderTarget: MoveCheck = {
  code: "TARGET_VERSION_OLDER",
  severity: Severity.WARNING,
  passed: "the target does not run an older version",
  finding: (facts) => {
    const { source, target, mode } = facts;
    // Then nothing helps but an upgrade, and that was said already.
    if (hasOlderTunnel(facts)) return undefined;
    if (mode !== MigrationMode.LIVE) return null;
    if (source.version === null || target.version === null) return undefined;
    return compareVersions(source.version, target.version) > 0
      ? `${target.node} runs ${target.version}, ${source.node} ${source.version}: machine types of the newer one may not start there`
      : null;
  },
};

const hasOlderTunnel = ({ type, source, target }: MoveFacts): boolean =>
  isOlderTunnel(tunnelsOf(target)[type], tunnelsOf(source)[type]);

const unreliableLive: MoveCheck = {
  code: "LIVE_UNRELIABLE",
  severity: Severity.WARNING,
  passed: "the source's version moves running machines reliably",
  finding: ({ source, mode }) =>
    mode === MigrationMode.LIVE && !isAtLeast(source.version, "8.3")
      ? `${source.node} runs ${source.version}: before 8.3 live moves that are started over the API may fail and roll back`
      : null,
};

/** A guest that goes on running, or is started again on the target, is built for the source's processors. */
const otherArchitecture: MoveCheck = {
  code: "ARCHITECTURE_DIFFERS",
  passed: "both nodes have processors of one architecture, or the guest is stopped",
  finding: (facts) =>
    facts.mode === MigrationMode.OFFLINE ? null : inWordsOfBoth(facts, "the guest would not run there"),
};

const stoppedOnOtherArchitecture: MoveCheck = {
  code: "STOPPED_ARCHITECTURE_DIFFERS",
  severity: Severity.WARNING,
  passed: "the guest does not move stopped to processors of another architecture",
  finding: (facts) =>
    facts.mode === MigrationMode.OFFLINE
      ? inWordsOfBoth(facts, "the guest can be moved, but will not start there")
      : null,
};

/** @returns that the architectures differ, and what follows; null: they are alike; undefined: one is not known */
function inWordsOfBoth({ source, target }: MoveFacts, conclusion: string): string | null | undefined {
  if (source.architecture === null || target.architecture === null) return undefined;
  if (source.architecture === target.architecture) return null;
  return `the processors of ${of(source)}, those of ${of(target)}: ${conclusion}`;
}

const of = ({ node, architecture }: MoveEnd): string => `${node} are ${architecture}`;

/** Every check of versions and architectures. */
export const VERSION_CHECKS: readonly MoveCheck[] = [
  olderTunnel,
  olderTarget,
  unreliableLive,
  otherArchitecture,
  stoppedOnOtherArchitecture,
];
