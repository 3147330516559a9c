// Starts the evacuation of a host: plans where all its chosen guests go, and turns maintenance on.
import type { PoolClient } from "pg";
import type { Context } from "../../context/context.js";
import { isOffered, planEvacuation, type PlannedDestination } from "../../core/evacuation/plan.js";
import { JobKind } from "../../core/enums.js";
import { inTransaction } from "../../db/transaction.js";
import { DroverError, validationError } from "../../errors/errors.js";
import * as hosts from "../../store/host/record.js";
import { loadEvacuationFacts, type EvacuationFacts } from "../../run/evacuationFacts.js";
import { acceptRoute, type AskedRoute, type EvacuationRoute } from "../../run/evacuationRequest.js";
import { refuseUnchangeable } from "../guest/findGuest.js";
import type { NamedGuest } from "../../run/movableGuests.js";
import { insertRun, type PlannedItem } from "./run.js";
import * as runs from "../../store/run/run.js";

interface AskedEvacuation extends AskedRoute {
  /** In the order of their turns; none with `allGuests`. */
  readonly guestIds: readonly number[];
  /** All that can be chosen. */
  readonly allGuests?: boolean | null;
}

/**
 * Queues the evacuation.
 * @returns its id
 * @throws DroverError unauthenticated, forbidden, notFound (host), validation, conflict (`EVACUATION_RUNNING` with the id of
 *   the one that runs, `GUEST_BUSY`, `SAFETY_COPY`, `IS_TEMPLATE`, `HOST_IN_MAINTENANCE` of the target)
 */
export async function startEvacuation(context: Context, asked: AskedEvacuation): Promise<number> {
  const route = await acceptRoute(context, asked);
  const scope = context.viewer.hostIds;
  const { runId, jobId } = await inTransaction(context.pool, async (client) => {
    await runs.lockPlanning(client);
    await refuseSecond(client, route.hostId);
    const loading = { database: client, clock: context.clock };
    const facts = await loadEvacuationFacts(loading, { scope, hostId: route.hostId, node: route.node });
    const guests = chosenGuests(facts, asked);
    await hosts.setMaintenance(client, route.hostId, { on: true, at: context.clock.now() });
    return insertRun(context, client, {
      kind: JobKind.EVACUATION,
      route,
      scope,
      items: planEvacuationOf(facts, guests, route).map(plannedItem),
    });
  });
  context.jobs.wake({ id: jobId, kind: JobKind.EVACUATION });
  return runId;
}

/** @throws DroverError conflict */
async function refuseSecond(client: PoolClient, hostId: number): Promise<void> {
  const running = await runs.unfinishedEvacuation(client, hostId);
  if (running === null) return;
  throw new DroverError("conflict", `evacuation ${running} of the host is still running`, {
    reason: "EVACUATION_RUNNING",
  });
}

/** @throws DroverError validation; conflict for guests that never move, or became busy since they were offered */
function chosenGuests({ guests }: EvacuationFacts, { guestIds, allGuests }: AskedEvacuation): NamedGuest[] {
  if (allGuests === true) {
    if (guestIds.length > 0) throw refusedGuests("must be empty with allGuests");
    const offered = guests.filter(({ traits }) => isOffered(traits));
    if (offered.length === 0) throw refusedGuests("the host has no guest that can be chosen");
    return offered;
  }
  if (guestIds.length === 0) throw refusedGuests("must name at least one guest");
  if (new Set(guestIds).size < guestIds.length) throw refusedGuests("must name each guest once");
  const byId = new Map(guests.map((guest) => [guest.id, guest]));
  return guestIds.map((id) => {
    const guest = byId.get(id);
    if (guest === undefined) throw refusedGuests(`guest ${id} is not there`);
    const { template, safetyCopy, busyWith } = guest.traits;
    if (isOffered(guest.traits)) return guest;
    refuseUnchangeable({ vmid: guest.vmid, template, safetyCopy });
    throw new DroverError("conflict", `guest ${guest.vmid} is busy: ${busyWith}`, { reason: "GUEST_BUSY" });
  });
}

const refusedGuests = (message: string): DroverError => validationError([{ field: "guestIds", message }]);

/** A guest with where it goes, or why it stays. */
export type KnownDestination = PlannedDestination & { readonly guest: NamedGuest };

/** @returns a destination for each guest, planned for all of them at once. */
export function planEvacuationOf(
  { snapshot, settings }: EvacuationFacts,
  guests: readonly NamedGuest[],
  { hostId, targetHostId, targetNode }: Pick<EvacuationRoute, "hostId" | "targetHostId" | "targetNode">,
): KnownDestination[] {
  const target = { hostId: targetHostId, node: targetNode };
  const destinations = planEvacuation(snapshot, guests, { sourceHostId: hostId, target, settings });
  return guests.flatMap((guest, index) => {
    const destination = destinations[index];
    return destination === undefined ? [] : [{ ...destination, guest }];
  });
}

const plannedItem = (destination: KnownDestination): PlannedItem => ({
  guest: destination.guest,
  to: "node" in destination ? destination : null,
});
