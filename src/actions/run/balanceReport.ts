// Reports hot nodes and suggests moves that would cool them; nothing is moved or reserved.
import { permit } from "../../access/permit.js";
import type { Context } from "../../context/context.js";
import { Permission } from "../../core/access/permissions.js";
import type { IpPlan } from "../../core/addressing/ipPlan.js";
import { isHot, loadOf, type Load } from "../../core/balance/load.js";
import type { BalanceReport, Skipped } from "../../core/balance/report.js";
import { suggestionId } from "../../core/balance/suggestionId.js";
import type { BalanceMode } from "../../core/enums.js";
import { planAddresses, type AddressQuestion } from "../../migration/addressPlans.js";
import { loadBalanceFacts, type BalanceFacts } from "../../run/balanceFacts.js";
import { checkedReport, type CheckedSuggestion, type PlanMoves } from "../../run/balancePreflight.js";
import { planMoves } from "../../migration/plan.js";

/** A suggestion as GraphQL shows it, but for the guest's record, which is read apart. */
interface ShownSuggestion {
  readonly id: string;
  readonly guestId: number;
  readonly fromHostId: number;
  readonly fromNode: string;
  readonly toHostId: number;
  readonly toNode: string;
  readonly freesMemoryMb: number;
  readonly freesCpu: number;
  readonly downtime: string;
  readonly ipPlan: IpPlan;
  readonly explanation: string;
}

/** Loads in percent. */
interface ShownLoad {
  readonly memoryPercent: number;
  readonly cpuPercent: number | null;
}

interface NamedNode {
  readonly hostId: number;
  readonly node: string;
}

interface PredictedNode extends NamedNode, ShownLoad {
  readonly memoryPercentNow: number;
  readonly cpuPercentNow: number | null;
  readonly hot: boolean;
}

export interface ShownReport {
  readonly hotNodes: readonly (NamedNode &
    ShownLoad & { readonly reason: string; readonly unresolvedReason: string | null })[];
  readonly suggestions: readonly ShownSuggestion[];
  readonly passedOver: readonly (NamedNode & { readonly vmid: number; readonly reason: string })[];
  readonly predicted: readonly PredictedNode[];
}

/** @throws DroverError unauthenticated, forbidden */
export function balanceReport(context: Context, mode: BalanceMode): Promise<ShownReport> {
  return reportWith(context, mode, (requests, nodes) => planMoves(context, requests, nodes));
}

/** The report by another way of planning moves. @throws DroverError unauthenticated, forbidden */
export async function reportWith(context: Context, mode: BalanceMode, plan: PlanMoves): Promise<ShownReport> {
  permit(context, Permission.HOSTS_MANAGE);
  const facts = await loadBalanceFacts(context, mode);
  const addresses = (questions: readonly AddressQuestion[]) => planAddresses(context.pool, questions);
  const { report, checked } = await checkedReport(facts, { moves: plan, addresses });
  return {
    hotNodes: report.hotNodes.map(({ hostId, node, load, reason, unresolvedReason }) => {
      return { hostId, node, ...inPercent(load), reason, unresolvedReason };
    }),
    suggestions: checked.map(shownSuggestion),
    passedOver: report.skipped.map(passedOver),
    predicted: predicted(report, facts),
  };
}

function shownSuggestion({ suggestion, guest, plan }: CheckedSuggestion): ShownSuggestion {
  const { toHostId, toNode, freesMemoryMb, freesCpu, explanation } = suggestion;
  const move = { guestId: guest.id, fromHostId: guest.hostId, fromNode: guest.node, toHostId, toNode };
  return {
    ...move,
    id: suggestionId(move),
    freesMemoryMb,
    freesCpu,
    downtime: plan.summary.downtime,
    ipPlan: plan.ipPlan,
    explanation,
  };
}

const passedOver = ({ guest: { hostId, node, vmid }, reason }: Skipped) => ({ hostId, node, vmid, reason });

const predicted = ({ loadsAfter }: BalanceReport, { snapshot, settings }: BalanceFacts): ShownReport["predicted"] =>
  snapshot.nodes.flatMap((node, place) => {
    const load = loadsAfter[place];
    if (load === undefined) return [];
    const now = inPercent(loadOf(node));
    return [
      {
        hostId: node.host.id,
        node: node.name,
        ...inPercent(load),
        memoryPercentNow: now.memoryPercent,
        cpuPercentNow: now.cpuPercent,
        hot: isHot(load, settings.thresholds),
      },
    ];
  });

const inPercent = ({ ram, cpu }: Load): ShownLoad => ({
  memoryPercent: percentOf(ram),
  cpuPercent: cpu === null ? null : percentOf(cpu),
});

/** With the decimals that a person can use; sums of fractions have many more. */
const percentOf = (share: number): number => Math.round(share * 1e6) / 1e4;
