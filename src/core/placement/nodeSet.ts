// Names nodes by host and name, orders them and keeps sets of them.
import type { NodeState } from "./snapshot.js";

/** Names a node: names are unique on a host only. */
export interface NodeName {
  readonly hostId: number;
  readonly node: string;
}

/** @returns the node's name. */
export const nameOf = ({ host, name }: NodeState): NodeName => ({ hostId: host.id, node: name });

/** Node names by host id. */
export type NodeSet = ReadonlyMap<number, ReadonlySet<string>>;

/** @returns the set of these nodes. */
export function nodeSet(names: Iterable<NodeName>): NodeSet {
  const set = new Map<number, Set<string>>();
  for (const { hostId, node } of names) {
    const ofHost = set.get(hostId);
    if (ofHost) ofHost.add(node);
    else set.set(hostId, new Set([node]));
  }
  return set;
}

/** @returns whether the set has the node. */
export const hasNode = (set: NodeSet, hostId: number, node: string): boolean => set.get(hostId)?.has(node) ?? false;

/** Orders nodes by host id, then name, whatever order they came in. */
export function byHostAndName(left: NodeName, right: NodeName): number {
  if (left.hostId !== right.hostId) return left.hostId - right.hostId;
  return left.node < right.node ? -1 : Number(left.node > right.node);
}
