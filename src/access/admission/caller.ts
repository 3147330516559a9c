// Names the caller whose share of the service a request takes: a token, a person, an agent, or else the address that it comes from.
import ipaddr from "ipaddr.js";
import type { ChargedCaller } from "../../concurrency/callerScope.js";
import type { Viewer } from "../viewer.js";

/** One that is not known (neither token, person nor agent) shares a small part of the service with all such callers. */
export type Caller = ChargedCaller;

/** The caller of an authenticated request. */
export function callerOf(viewer: Viewer, sourceIp: string): Caller {
  if (viewer.kind === "anonymous") return sourceCaller(sourceIp);
  return { key: viewer.kind === "token" ? `token ${viewer.tokenId}` : `user ${viewer.userId}`, isKnown: true };
}

/** The caller of an agent's request. */
export const agentCaller = (nodeId: number): Caller => ({ key: `agent ${nodeId}`, isKnown: true });

/** The caller of a request that is not authenticated. */
export const sourceCaller = (sourceIp: string): Caller => ({ key: `address ${networkOf(sourceIp)}`, isKnown: false });

/** Groups of an IPv6 address that name its network: one subscriber has at least all addresses of a /64. */
const NETWORK_GROUPS = 4;

/** @returns an IPv4 address itself, and of an IPv6 address its /64 */
export function networkOf(sourceIp: string): string {
  if (!sourceIp.includes(":") || !ipaddr.IPv6.isValid(sourceIp)) return sourceIp;
  const groups = ipaddr.IPv6.parse(sourceIp).parts.slice(0, NETWORK_GROUPS);
  return `${groups.map((group) => group.toString(16)).join(":")}::/64`;
}
