// Lists the guests that can be chosen for an evacuation, each with its destination, pre-flight, estimate and address plan.
import type { Context } from "../../context.js";
import { planAddress, type IpPlan } from "../../core/addressing/ipPlan.js";
import { isOffered } from "../../core/evacuation/plan.js";
import { Severity, type MigrationMode } from "../../core/enums.js";
import { firstObstacle, type Check } from "../../core/migration/check.js";
import { GUEST_CHECKS } from "../../core/migration/guestChecks.js";
import { migrationMode } from "../../core/migration/mode.js";
import type { MigrationPlan } from "../../core/migration/plan.js";
import { DroverError } from "../../errors.js";
import { readsOf } from "../../reads/json.js";
import { planAddresses } from "../migration/addressPlans.js";
import { planEvacuationOf } from "./evacuation.js";
import { loadEvacuationFacts, type EvacuationFacts } from "./evacuationFacts.js";
import { acceptRoute, type AskedRoute, type EvacuationRoute } from "./evacuationRequest.js";
import { planMoves } from "../migration/plan.js";
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

/** @throws DroverError unauthenticated, forbidden, notFound (host), validation, conflict (target in maintenance) */
export async function evacuationCandidates(context: Context, asked: AskedRoute): Promise<Candidate[]> {
  const route = await acceptRoute(context, asked);
  const loading = { database: readsOf(context), clock: context.clock };
  const selection = { scope: context.viewer.hostIds, hostId: route.hostId, node: route.node };
  const facts = await loadEvacuationFacts(loading, selection);
  const offered = facts.guests.filter(({ traits }) => isOffered(traits));
  const destinations = planEvacuationOf(facts, offered, route);
  const plans = await plansOf(context, facts, { route, going: destinations.filter((one) => "node" in one) });
  return destinations.map((destination) =>
    "node" in destination
      ? candidate(destination, plans.get(destination.guest.id))
      : staying(destination.guest, whyStaying(destination)),
  );
}

interface Going {
  readonly guest: KnownGuest;
  readonly hostId: number;
  readonly node: string;
}

/** By guest id. */
async function plansOf(
  context: Context,
  facts: EvacuationFacts,
  { route, going }: { readonly route: EvacuationRoute; readonly going: readonly Going[] },
): Promise<ReadonlyMap<number, MigrationPlan | DroverError>> {
  const addressing = await planAddresses(
    readsOf(context),
    going.map(({ guest, hostId }) => ({ guestId: guest.id, toHostId: hostId, zoneId: route.ipZoneId })),
  );
  const wishes = going.map(({ guest, hostId, node }) =>
    runWish({ ...route, guestId: guest.id, toHostId: hostId, toNode: node, addressing: addressing.get(guest.id) }),
  );
  const plans = await planMoves(context, wishes, facts);
  return new Map(plans.flatMap((plan, index) => (going[index] === undefined ? [] : [[going[index].guest.id, plan]])));
}

function candidate({ guest, hostId, node }: Going, plan: MigrationPlan | DroverError | undefined): Candidate {
  if (plan === undefined || plan instanceof DroverError) {
    const message = plan?.message ?? "its move was not planned";
    const problem = { code: plan?.reason ?? "NOT_PLANNED", severity: Severity.BLOCKING, message };
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
    ipPlan: plan.ipPlan,
  };
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
