// Decides, when it is a guest's turn, whether it can still leave and where it can go now.
import { loadEvacuationFacts, type EvacuationFacts } from "../../src/run/evacuationFacts.js";
import type { NamedGuest } from "../../src/run/movableGuests.js";
import { whyNoLonger } from "../../src/core/balance/recheck.js";
import { evacuatedPlace, evacuationContext } from "../../src/core/evacuation/plan.js";
import { describeDropped, place } from "../../src/core/placement/place.js";
import { MOST_TARGETS } from "../../src/core/migration/movableGuest.js";
import * as settings from "../../src/store/setting.js";
import type { StepContext } from "../engine/step.js";
import type { Destination, Turn } from "../../src/store/run/turn.js";
import type { RunRecord } from "../../src/store/run/run.js";

/** Where the guest can go, the best first; or why it stays. */
type Destinations = { readonly places: readonly Destination[] } | { readonly reason: string };

/** Of the guests that wait for their turn, the room that is reserved for them is left to them. */
export async function destinationsOf(context: StepContext, run: RunRecord, item: Turn): Promise<Destinations> {
  const { pool, clock } = context.services;
  const isBalance = run.kind === "balance_run";
  const facts = await loadEvacuationFacts(
    { database: pool, clock },
    // Suggestions of one report count on each other already, by what the guests use.
    {
      scope: run.scope,
      hostId: item.fromHostId,
      guestId: item.guestId,
      ...(isBalance ? { exceptJobId: context.job.id } : {}),
    },
  );
  const [guest] = facts.guests;
  if (guest === undefined) return { reason: "the guest is no longer on the host" };
  if (guest.obstacle !== null) return { reason: guest.obstacle };
  return isBalance ? suggested(context, { facts, guest, item }) : evacuated(run, { facts, guest, item });
}

/** A guest whose turn it is, among the others of its host. */
interface GuestAtTurn {
  readonly facts: EvacuationFacts;
  readonly guest: NamedGuest;
  readonly item: Turn;
}

/** The place that was planned comes first while it still has room. */
function evacuated({ targetHostId, targetNode }: RunRecord, { facts, guest, item }: GuestAtTurn): Destinations {
  const target = { hostId: targetHostId, node: targetNode };
  const asked = evacuationContext({ sourceHostId: guest.hostId, target, settings: facts.settings });
  const { ranked, dropped } = place(facts.snapshot, evacuatedPlace(guest), asked);
  if (ranked.length === 0) return { reason: describeDropped(dropped) };
  const isPlanned = ({ hostId, node }: Destination) => hostId === item.toHostId && node === item.toNode;
  return { places: [...ranked.filter(isPlanned), ...ranked.filter((one) => !isPlanned(one))].slice(0, MOST_TARGETS) };
}

async function suggested(
  { services: { pool } }: StepContext,
  { facts, guest, item }: GuestAtTurn,
): Promise<Destinations> {
  const { toHostId, toNode } = item;
  if (toHostId === null || toNode === null) return { reason: "the suggestion named no target" };
  if (guest.node !== item.fromNode) return { reason: `the guest is on ${guest.node} by now` };
  const thresholds = await settings.thresholds(pool);
  if (thresholds === null) throw new Error("there are no settings");
  const target = { hostId: toHostId, node: toNode };
  const conditions = { target, settings: { placement: facts.settings, thresholds } };
  const reason = whyNoLonger(facts.snapshot, guest, conditions);
  return reason === null ? { places: [{ ...target, storage: null }] } : { reason };
}
