// Checks every suggested move with the migration's pre-flight; where it fails the report is made again, without that guest or target.
import type { LoadedSnapshot } from "../core/placement/context.js";
import type { IpPlanning } from "../core/addressing/ipPlan.js";
import { suggestMoves } from "../core/balance/suggest.js";
import type { BalanceReport, Suggestion } from "../core/balance/report.js";
import { isOwnFault } from "../core/migration/guestChecks.js";
import { keptFrom, MOST_TARGETS, type MovableGuest } from "../core/migration/movableGuest.js";
import type { MigrationPlan } from "../core/migration/plan.js";
import { DroverError } from "../errors/errors.js";
import type { AddressQuestion } from "../migration/addressPlans.js";
import type { BalanceFacts } from "./balanceFacts.js";
import type { MoveRequest } from "../migration/moveRequest.js";
import type { NamedGuest } from "./movableGuests.js";
import { runRequest } from "./runRequest.js";

/** What a suggestion shows of its plan. */
export type MovePlan = Pick<MigrationPlan, "startable" | "problems" | "summary" | "ipPlan">;

/** Plans moves by asking their hosts. @param nodes those of the report @returns for each its plan, or the refusal of its planning */
export type PlanMoves = (
  requests: readonly MoveRequest[],
  nodes: LoadedSnapshot,
) => Promise<readonly (MovePlan | DroverError)[]>;

/** What both hosts, and the database, are asked about moves. */
interface Planner {
  readonly moves: PlanMoves;
  /** Plans the addresses of guests that move in this order, by guest id. */
  readonly addresses: (questions: readonly AddressQuestion[]) => Promise<ReadonlyMap<number, IpPlanning>>;
}

/** A suggestion that has passed. */
export interface CheckedSuggestion {
  readonly suggestion: Suggestion;
  readonly guest: NamedGuest;
  readonly plan: MovePlan;
}

interface CheckedReport {
  readonly report: BalanceReport;
  readonly checked: readonly CheckedSuggestion[];
}

/** A hot node full of guests that cannot move is given up after so many rounds. */
const MOST_ROUNDS = 20;

/** Why a suggestion fails. */
interface Objection {
  readonly reason: string;
  /** Whether it stands against the guest on every target. */
  readonly everywhere: boolean;
}

type Trial = CheckedSuggestion | Objection;

/** Each round passes over at least one guest more, or one target for it, or ends. */
export async function checkedReport(facts: BalanceFacts, planner: Planner): Promise<CheckedReport> {
  const trials = new Map<string, Trial>();
  const nodes = { snapshot: facts.snapshot, settings: facts.settings.placement };
  let { guests } = facts;
  for (let round = 1; ; round++) {
    const report = suggestMoves(facts.snapshot, guests, facts.settings);
    const moves = suggestedMoves(report, guests);
    const untried = moves.filter((move) => !trials.has(keyOf(move)));
    const plans = await planner.moves(untried.map(moveRequest), nodes);
    for (const [index, plan] of plans.entries()) {
      const move = untried[index];
      if (move !== undefined) trials.set(keyOf(move), trial(move, plan));
    }
    const addressing = await planner.addresses(moves.map(addressQuestion));
    const objected = new Map<number, NamedGuest>();
    for (const move of moves) {
      const objection = objectionTo(trials.get(keyOf(move)), addressing.get(move.guest.id));
      if (objection !== null) objected.set(move.guest.id, withObjection(move, objection));
    }
    if (objected.size === 0 || round === MOST_ROUNDS) {
      return { report, checked: moves.flatMap(passed(trials)).map((one) => withAddress(one, addressing)) };
    }
    guests = guests.map((guest) => objected.get(guest.id) ?? guest);
  }
}

function objectionTo(tried: Trial | undefined, addressing: IpPlanning | undefined): Objection | null {
  if (tried !== undefined && "reason" in tried) return tried;
  const noAddress = addressing?.problem?.message;
  return noAddress === undefined ? null : { reason: noAddress, everywhere: false };
}

/** @returns the guest, kept from the target; or from moving at all, when enough targets were tried. */
function withObjection({ guest, suggestion }: SuggestedMove, { reason, everywhere }: Objection): NamedGuest {
  if (everywhere) return { ...guest, obstacle: reason };
  const kept = keptFrom(guest, { hostId: suggestion.toHostId, node: suggestion.toNode }, reason);
  const { nodes = [], reason: first = reason } = kept.refusedBy ?? {};
  return nodes.length < MOST_TARGETS ? kept : { ...kept, obstacle: first };
}

/** Its own plan does not know what the moves before it take. */
function withAddress(checked: CheckedSuggestion, addressing: ReadonlyMap<number, IpPlanning>): CheckedSuggestion {
  const ipPlan = addressing.get(checked.guest.id)?.plan ?? checked.plan.ipPlan;
  return { ...checked, plan: { ...checked.plan, ipPlan } };
}

const addressQuestion = ({ guest, suggestion }: SuggestedMove): AddressQuestion => ({
  guestId: guest.id,
  toHostId: suggestion.toHostId,
  zoneId: null,
});

interface SuggestedMove {
  readonly suggestion: Suggestion;
  readonly guest: NamedGuest;
}

function suggestedMoves({ suggestions }: BalanceReport, guests: readonly NamedGuest[]): SuggestedMove[] {
  const known = new Map<MovableGuest, NamedGuest>(guests.map((guest) => [guest, guest]));
  return suggestions.flatMap((suggestion) => {
    const guest = known.get(suggestion.guest);
    return guest === undefined ? [] : [{ suggestion, guest }];
  });
}

const keyOf = ({ guest, suggestion: { toHostId, toNode } }: SuggestedMove): string =>
  `${guest.id}/${toHostId}/${toNode}`;

const passed =
  (trials: ReadonlyMap<string, Trial>) =>
  ({ suggestion, guest }: SuggestedMove): CheckedSuggestion[] => {
    const tried = trials.get(keyOf({ suggestion, guest }));
    return tried !== undefined && "plan" in tried ? [{ suggestion, guest, plan: tried.plan }] : [];
  };

const moveRequest = ({ suggestion: { toHostId, toNode }, guest }: SuggestedMove): MoveRequest =>
  runRequest({ guestId: guest.id, toHostId, toNode, ipZoneId: null, dropPortForwards: false });

function trial({ suggestion, guest }: SuggestedMove, plan: MovePlan | DroverError): Trial {
  if (plan instanceof DroverError) {
    return { reason: `its move could not be checked: ${plan.message}`, everywhere: true };
  }
  if (plan.startable) return { suggestion, guest, plan };
  const reason = plan.problems.map(({ message }) => message).join("; ");
  return { reason, everywhere: isOwnFault(plan.problems) };
}
