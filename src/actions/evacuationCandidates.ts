// Lists the guests that can be chosen for an evacuation, each with its destination, pre-flight, estimate and address plan.
import type { Context } from "../context.js";
import { planAddress, type IpPlan, type IpPlanning } from "../core/addressing/ipPlan.js";
import { isOffered } from "../core/evacuation/plan.js";
import { Severity, type MigrationMode } from "../core/enums.js";
import { firstObstacle, type Check } from "../core/migration/check.js";
import { GUEST_CHECKS } from "../core/migration/guestChecks.js";
import { migrationMode } from "../core/migration/mode.js";
import { DroverError } from "../errors.js";
import { inParallel } from "../inventory/inParallel.js";
import { planAddresses } from "./addressPlans.js";
import { planEvacuationOf } from "./evacuation.js";
import { loadEvacuationFacts } from "./evacuationFacts.js";
import { acceptRoute, type AskedRoute, type EvacuationRoute } from "./evacuationRequest.js";
import { planMove } from "./migration/plan.js";
import type { KnownGuest } from "./movableGuests.js";
import { runWish } from "./runWish.js";

export interface Candidate {
  readonly guestId: number;
  readonly toHostId: number | null;
  readonly toNode: string | null;
  readonly mode: MigrationMode;
  readonly startable: boolean;
  readonly problems: readonly Check[];
  /** Null: unknown. */
  readonly expectedSeconds: number | null;
  readonly ipPlan: IpPlan;
}

/** Each plan asks both hosts and an agent. */
const PLANS_AT_ONCE = 8;

/** @throws DroverError unauthenticated, forbidden, notFound (host), validation, conflict (target in maintenance) */
export async function evacuationCandidates(context: Context, asked: AskedRoute): Promise<Candidate[]> {
  const route = await acceptRoute(context, asked);
  const loading = { database: context.pool, clock: context.clock };
  const selection = { scope: context.viewer.hostIds, hostId: route.hostId, node: route.node };
  const facts = await loadEvacuationFacts(loading, selection);
  const offered = facts.guests.filter(({ traits }) => isOffered(traits));
  const destinations = planEvacuationOf(facts, offered, route);
  const addressing = await planAddresses(
    context.pool,
    destinations.flatMap((destination) =>
      "node" in destination
        ? [{ guestId: destination.guest.id, toHostId: destination.hostId, zoneId: route.ipZoneId }]
        : [],
    ),
  );
  return inParallel(destinations, PLANS_AT_ONCE, (destination) =>
    "node" in destination
      ? planned(context, route, { ...destination, addressing: addressing.get(destination.guest.id) })
      : Promise.resolve(staying(destination.guest, whyStaying(destination))),
  );
}

interface Going {
  readonly guest: KnownGuest;
  readonly hostId: number;
  readonly node: string;
  readonly addressing: IpPlanning | undefined;
}

async function planned(
  context: Context,
  route: EvacuationRoute,
  { guest, hostId, node, addressing }: Going,
): Promise<Candidate> {
  const move = { ...route, guestId: guest.id, toHostId: hostId, toNode: node, addressing };
  try {
    const { plan } = await planMove(context, runWish(move));
    return {
      guestId: guest.id,
      toHostId: hostId,
      toNode: node,
      mode: plan.mode,
      startable: plan.startable,
      problems: plan.problems,
      expectedSeconds: plan.summary.expectedSeconds,
      ipPlan: plan.ipPlan,
    };
  } catch (error) {
    if (!(error instanceof DroverError)) throw error;
    const problem = { code: error.reason ?? "NOT_PLANNED", severity: Severity.BLOCKING, message: error.message };
    return { ...staying(guest, problem), toHostId: hostId, toNode: node };
  }
}

const whyStaying = ({ guest, reason }: { guest: KnownGuest; reason: string }): Check =>
  firstObstacle(GUEST_CHECKS, guest.traits) ?? {
    code: "NO_NODE_HAS_ROOM",
    severity: Severity.BLOCKING,
    message: reason,
  };

const staying = (guest: KnownGuest, problem: Check): Candidate => ({
  guestId: guest.id,
  toHostId: null,
  toNode: null,
  mode: migrationMode(guest.type, guest.status),
  startable: false,
  problems: [problem],
  expectedSeconds: null,
  ipPlan: planAddress(null, []).plan,
});
