// Finds the best node for a new guest, ranks the others and says why the rest was dropped.
import { isInScope } from "../access/scope.js";
import type { PlacementContext } from "./context.js";
import { explainerOf, type Explain } from "./explain.js";
import { byHostAndName } from "./nodeSet.js";
import { whyDropped, type Drop, type Question } from "./rules.js";
import { byRank, scoreNode, type ScoredNode } from "./score.js";
import type { NodeState, PlacementRequest, Snapshot } from "./snapshot.js";

/** An eligible node, as GraphQL and REST v1 show it. */
export interface RankedNode {
  readonly hostId: number;
  readonly node: string;
  readonly storage: string;
  readonly score: number;
  readonly ramScore: number;
  readonly cpuScore: number;
  readonly storageScore: number;
  readonly guestCount: number;
  readonly explanation: string;
}

/** A node that cannot get the guest, as GraphQL and REST v1 show it. */
export interface DroppedNode extends Drop {
  readonly hostId: number;
  readonly node: string;
}

export interface Placement {
  /** The first of `ranked`; null when no node is eligible. */
  readonly best: RankedNode | null;
  /** Best first. */
  readonly ranked: readonly RankedNode[];
  /** By host id, then node name. */
  readonly dropped: readonly DroppedNode[];
}

/**
 * @returns every visible node, ranked or dropped. The order of nodes in the snapshot does not matter. Nodes are explained when `best` or
 * `ranked` is read: few callers want all that there are.
 */
export function place(snapshot: Snapshot, request: PlacementRequest, context: PlacementContext): Placement {
  const { eligible, dropped } = sift(snapshot, request, context);
  const ordered = eligible.toSorted(byRank);
  const explain = explainerOf(request, context.settings.weights);
  return {
    get best() {
      const [first] = ordered;
      return first === undefined ? null : rankedNode(first, explain);
    },
    get ranked() {
      return ordered.map((scored) => rankedNode(scored, explain));
    },
    dropped: dropped.toSorted(byHostAndName),
  };
}

/** @returns what `place` calls the best, or null: faster, because nothing but the best is ordered and explained. */
export function placeBest(snapshot: Snapshot, request: PlacementRequest, context: PlacementContext): RankedNode | null {
  const best = bestNode(snapshot, request, context);
  return best && rankedNode(best, explainerOf(request, context.settings.weights));
}

/** @returns the best node with its state and score, for decisions that go on from there. */
export function bestNode(snapshot: Snapshot, request: PlacementRequest, context: PlacementContext): ScoredNode | null {
  const { eligible } = sift(snapshot, request, context);
  return eligible.reduce<ScoredNode | null>(
    (best, scored) => (best === null || byRank(scored, best) < 0 ? scored : best),
    null,
  );
}

/** So many nodes are named one by one in an answer; of the others it says how many failed which rule. */
const NAMED_DROPS = 50;

/** @returns one sentence on why no node is eligible, node by node. @param conclusion what follows from it */
export function describeDropped(dropped: readonly DroppedNode[], conclusion = "no node has room"): string {
  if (dropped.length === 0) return `${conclusion}: no node may be used`;
  const isOneHost = dropped.every(({ hostId }) => hostId === dropped[0]?.hostId);
  const named = dropped
    .slice(0, NAMED_DROPS)
    .map(({ hostId, node, reason }) => `${isOneHost ? node : `${node} of host ${hostId}`}: ${reason}`);
  const others = Map.groupBy(dropped.slice(NAMED_DROPS), ({ code }) => code);
  const counted = [...others].map(([code, nodes]) => `${nodes.length} more: ${code}`);
  return `${conclusion}: ${[...named, ...counted].join("; ")}`;
}

function sift(snapshot: Snapshot, request: PlacementRequest, context: PlacementContext) {
  const question: Question = { request, context, now: snapshot.now };
  const eligible: ScoredNode[] = [];
  const dropped: DroppedNode[] = [];
  for (const node of snapshot.nodes) {
    if (!isVisible(node, context)) continue;
    const drop = whyDropped(node, question);
    const scored = drop === null ? scoreNode(node, request, context.settings.weights) : null;
    if (scored) eligible.push(scored);
    else if (drop) dropped.push({ hostId: node.host.id, node: node.name, ...drop });
  }
  return { eligible, dropped };
}

function isVisible({ host, name }: NodeState, { scope, hostId, node, exceptHostId }: PlacementContext): boolean {
  if (host.id === exceptHostId || !isInScope(scope, host.id)) return false;
  return (hostId === null || host.id === hostId) && (node === null || name === node);
}

const rankedNode = (scored: ScoredNode, explain: Explain): RankedNode => ({
  hostId: scored.node.host.id,
  node: scored.node.name,
  storage: scored.storage.name,
  score: scored.score,
  ramScore: scored.ramScore,
  cpuScore: scored.cpuScore,
  storageScore: scored.storageScore,
  guestCount: scored.node.guestCount,
  explanation: explain(scored),
});
