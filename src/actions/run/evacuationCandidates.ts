// Lists the guests that can be chosen for an evacuation, each with its destination, pre-flight, estimate and address plan.
import type { Context } from "../../context/context.js";
import { planAddress, type IpPlan, type IpPlanning } from "../../core/addressing/ipPlan.js";
import { isOffered } from "../../core/evacuation/plan.js";
import { Severity, type MigrationMode } from "../../core/enums.js";
import { firstObstacle, type Check } from "../../core/migration/check.js";
import { GUEST_CHECKS, isOwnFault } from "../../core/migration/guestChecks.js";
import { migrationMode } from "../../core/migration/mode.js";
import { keptFrom, MOST_TARGETS } from "../../core/migration/movableGuest.js";
import type { MigrationPlan } from "../../core/migration/plan.js";
import { DroverError } from "../../errors/errors.js";
import { planAddresses, type AddressQuestion } from "../../migration/addressPlans.js";
import { planEvacuationOf, type KnownDestination } from "./evacuation.js";
import { loadEvacuationFacts, type EvacuationFacts } from "../../run/evacuationFacts.js";
import { acceptRoute, type AskedRoute, type EvacuationRoute } from "../../run/evacuationRequest.js";
import { planMoves } from "../../migration/plan.js";
import type { NamedGuest } from "../../run/movableGuests.js";
import { runRequest } from "../../run/runRequest.js";

export interface Candidate {
  readonly guestId: number;
  readonly toHostId: number | null;
  readonly toNode: string | null;
  readonly mode: MigrationMode;
  readonly startable: boolean;
  readonly problems: readonly Check[];
  /** Null: unknown. */
  readonly expectedSeconds: number | null;
  /** Null: unknown. */
  readonly transferSeconds: number | null;
  readonly ipPlan: IpPlan;
}

/** @throws DroverError unauthenticated, forbidden, notFound (host), validation, conflict (target in maintenance) */
export async function evacuationCandidates(context: Context, asked: AskedRoute): Promise<Candidate[]> {
  const route = await acceptRoute(context, asked);
  const loading = { database: context.pool, clock: context.clock };
  const selection = { scope: context.viewer.hostIds, hostId: route.hostId, node: route.node };
  const facts = await loadEvacuationFacts(loading, selection);
  const trials = new Map<string, Trial>();
  let guests = facts.guests.filter(({ traits }) => isOffered(traits));
  for (let round = 1; ; round++) {
    const destinations = planEvacuationOf(facts, guests, route);
    const going = destinations.filter((one) => "node" in one);
    const addressing = await planAddresses(context.pool, going.map(addressQuestion(route)));
    const untried = going.filter((one) => !trials.has(keyOf(one)));
    for (const one of await plansOf(context, facts, { route, addressing, going: untried })) trials.set(keyOf(one), one);
    const refusals = new Map(going.flatMap((one) => refusal(trials.get(keyOf(one)))));
    if (refusals.size === 0 || round === MOST_TARGETS) return destinations.map(shown(trials, addressing));
    guests = guests.map((guest) => refusals.get(guest.id) ?? guest);
  }
}

interface Going {
  readonly guest: NamedGuest;
  readonly hostId: number;
  readonly node: string;
}

/** What came of planning a guest's move to a target. */
interface Trial extends Going {
  readonly plan: MigrationPlan | DroverError;
}

type Addressing = ReadonlyMap<number, IpPlanning>;

const keyOf = ({ guest, hostId, node }: Going): string => `${guest.id}/${hostId}/${node}`;

const addressQuestion =
  ({ ipZoneId }: EvacuationRoute) =>
  ({ guest, hostId }: Going): AddressQuestion => ({ guestId: guest.id, toHostId: hostId, zoneId: ipZoneId });

async function plansOf(
  context: Context,
  facts: EvacuationFacts,
  { route, addressing, going }: { route: EvacuationRoute; addressing: Addressing; going: readonly Going[] },
): Promise<Trial[]> {
  const requests = going.map(({ guest, hostId, node }) =>
    runRequest({ ...route, guestId: guest.id, toHostId: hostId, toNode: node, addressing: addressing.get(guest.id) }),
  );
  const plans = await planMoves(context, requests, facts);
  return plans.flatMap((plan, index) => (going[index] === undefined ? [] : [{ ...going[index], plan }]));
}

/** @returns the guest, kept from the target, by its id; nothing when it can go there, or nowhere. */
function refusal(trial: Trial | undefined): [number, NamedGuest][] {
  if (trial === undefined || trial.plan instanceof DroverError) return [];
  const { guest, hostId, node, plan } = trial;
  if (plan.startable || isOwnFault(plan.problems)) return [];
  const reason = plan.problems.map(({ message }) => message).join("; ");
  return [[guest.id, keptFrom(guest, { hostId, node }, reason)]];
}

/** A guest that no target takes is shown with what stood against the first. */
function shown(
  trials: ReadonlyMap<string, Trial>,
  addressing: Addressing,
): (destination: KnownDestination) => Candidate {
  const refused = Map.groupBy(
    [...trials.values()].filter(({ plan }) => !isStartable(plan)),
    ({ guest }) => guest.id,
  );
  return (destination) => {
    const { guest } = destination;
    const tried = "node" in destination ? trials.get(keyOf(destination)) : undefined;
    if (tried !== undefined && isStartable(tried.plan)) return candidate(tried, addressing.get(guest.id));
    const [first] = refused.get(guest.id) ?? [];
    return first === undefined ? staying(guest, whyStaying(destination)) : candidate(first, undefined);
  };
}

const isStartable = (plan: MigrationPlan | DroverError): boolean => !(plan instanceof DroverError) && plan.startable;

/** @param addressing planned together with the others, which the move's own plan did not know all of */
function candidate({ guest, hostId, node, plan }: Trial, addressing: IpPlanning | undefined): Candidate {
  if (plan instanceof DroverError) {
    const problem = { code: plan.reason ?? "NOT_PLANNED", severity: Severity.BLOCKING, message: plan.message };
    return { ...staying(guest, problem), toHostId: hostId, toNode: node };
  }
  return {
    guestId: guest.id,
    toHostId: hostId,
    toNode: node,
    mode: plan.mode,
    startable: plan.startable,
    problems: plan.problems,
    expectedSeconds: plan.summary.expectedSeconds,
    transferSeconds: plan.summary.transferSeconds,
    ipPlan: addressing?.plan ?? plan.ipPlan,
  };
}

const whyStaying = (destination: KnownDestination): Check =>
  firstObstacle(GUEST_CHECKS, destination.guest.traits) ?? {
    code: "NO_NODE_HAS_ROOM",
    severity: Severity.BLOCKING,
    message: "reason" in destination ? destination.reason : "its move was not planned",
  };

const staying = (guest: NamedGuest, problem: Check): Candidate => ({
  guestId: guest.id,
  toHostId: null,
  toNode: null,
  mode: migrationMode(guest.type, guest.status),
  startable: false,
  problems: [problem],
  expectedSeconds: null,
  transferSeconds: null,
  ipPlan: planAddress(null, []).plan,
});
