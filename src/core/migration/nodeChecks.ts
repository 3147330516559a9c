// The checks of both ends of a move: hosts, agents, NAT and the way between them.
import { seconds } from "../units.js";
import { isAtLeast, MINIMUM_MIGRATION_VERSION } from "../version.js";
import type { MoveCheck, MoveEnd } from "./moveFacts.js";

const sameHost: MoveCheck = {
  code: "SAME_HOST",
  passed: "source and target are separate hosts",
  finding: ({ source, target }) =>
    source.hostId === target.hostId ? "source and target belong to the same host, which moves its guests itself" : null,
};

const versionTooOld: MoveCheck = {
  code: "VERSION_TOO_OLD",
  passed: `both nodes run Proxmox VE ${MINIMUM_MIGRATION_VERSION} or newer`,
  finding: ({ source, target }) => {
    const old = [source, target].filter(({ version }) => !isAtLeast(version, MINIMUM_MIGRATION_VERSION));
    const found = old.map(({ node, version }) => `${node} runs ${version ?? "an unknown version"}`).join(", ");
    return old.length === 0 ? null : `${found}; at least ${MINIMUM_MIGRATION_VERSION} is needed`;
  },
};

const targetOffline: MoveCheck = {
  code: "TARGET_OFFLINE",
  passed: "the target is online",
  finding: ({ target }) => (target.online ? null : `${target.node} is offline`),
};

const noQuorum: MoveCheck = {
  code: "NO_QUORUM",
  passed: "both hosts have quorum, or are no clusters",
  finding: ({ source, target }) => {
    const without = [source, target].filter(({ quorate }) => !quorate).map(({ node }) => `the cluster of ${node}`);
    if (without.length === 0) return target.online ? null : undefined;
    return `${without.join(" and ")} has no quorum: nothing of it can be changed`;
  },
};

const targetInMaintenance: MoveCheck = {
  code: "TARGET_IN_MAINTENANCE",
  passed: "the target is not in maintenance",
  finding: ({ target }) => (target.maintenance ? `${target.node} is in maintenance` : null),
};

const sourceAgentMissing: MoveCheck = {
  code: "SOURCE_AGENT_MISSING",
  passed: "the source node has an agent",
  finding: ({ source }) => (lastSeen(source) === null ? `no agent of ${source.node} has reported yet` : null),
};

const sourceAgentStale: MoveCheck = {
  code: "SOURCE_AGENT_STALE",
  passed: "the source node's agent is current",
  finding: ({ source, now, agentStaleSeconds }) => {
    const seen = lastSeen(source);
    if (seen === null) return undefined;
    if ((now - seen) / 1000 > agentStaleSeconds)
      return `the agent of ${source.node} was last seen ${seconds((now - seen) / 1000)} ago`;
    return source.agent?.current ? null : `the agent of ${source.node} is older than the required version`;
  },
};

const targetAgentMissing: MoveCheck = {
  code: "TARGET_AGENT_MISSING",
  passed: "the target node has a current agent, or no port-forwards move",
  finding: ({ target, movingForwards, now, agentStaleSeconds }) => {
    if (movingForwards === 0) return null;
    const seen = lastSeen(target);
    const isCurrent = seen !== null && (now - seen) / 1000 <= agentStaleSeconds && target.agent?.current;
    return isCurrent ? null : `${movingForwards} port-forwards move, and ${target.node} has no current agent`;
  },
};

const natNotConfigured: MoveCheck = {
  code: "NAT_NOT_CONFIGURED",
  passed: "the target node's NAT is configured, or no port-forwards move",
  finding: ({ target, movingForwards }) =>
    movingForwards === 0 || target.natConfigured
      ? null
      : `${movingForwards} port-forwards move, and NAT is not configured on ${target.node}`,
};

const targetUnreachable: MoveCheck = {
  code: "TARGET_UNREACHABLE",
  passed: "the source node reaches the target's API port",
  finding: ({ source, target, reachability }) =>
    reachability.reachable ? null : `${source.node} does not reach ${target.node}: ${reachability.error}`,
};

/** Proxmox VE writes the address into the tunnel's URL without brackets. */
const targetAddressUnsupported: MoveCheck = {
  code: "TARGET_ADDRESS_UNSUPPORTED",
  passed: "the target has an address that a move can use",
  finding: ({ target: { node, address } }) => {
    if (address === null) return undefined;
    return address.includes(":")
      ? `${node} is known as ${address}: moves need a host name or an IPv4 address, an IPv6 address does not do`
      : null;
  },
};

/** Every check of source and target, in the order in which an operator would ask. */
export const NODE_CHECKS: readonly MoveCheck[] = [
  sameHost,
  versionTooOld,
  targetOffline,
  noQuorum,
  targetInMaintenance,
  sourceAgentMissing,
  sourceAgentStale,
  targetAgentMissing,
  natNotConfigured,
  targetUnreachable,
  targetAddressUnsupported,
];

const lastSeen = ({ agent }: MoveEnd): number | null => agent?.lastSeenAt ?? null;
