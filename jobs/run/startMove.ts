// Starts the migration of the guest whose turn it is: pre-flight again, then the first destination that passes it.
import { planMove, type PlannedMove } from "../../src/migration/plan.js";
import { startMove } from "../../src/actions/migration/start.js";
import { runRequest } from "../../src/run/runRequest.js";
import { anonymous } from "../../src/access/viewer.js";
import { RunItemStatus } from "../../src/core/enums.js";
import { isOwnFault } from "../../src/core/migration/guestChecks.js";
import { DroverError } from "../../src/errors/errors.js";
import * as migrations from "../../src/store/migration.js";
import type { StepContext } from "../engine/step.js";
import { destinationsOf } from "./destinations.js";
import { directItem } from "./items.js";
import type { Destination, Turn, Settlement } from "../../src/store/run/turn.js";
import type { RunRecord } from "../../src/store/run/run.js";

/** @returns the migration's id, or how the turn ends without one */
export async function startItem(context: StepContext, run: RunRecord, item: Turn): Promise<number | Settlement> {
  // What an earlier worker started without living to write it down.
  const begun = await migrations.latestOfRun(context.services.pool, { run, guestId: item.guestId });
  if (begun !== null) return begun;
  const destinations = await destinationsOf(context, run, item);
  if ("reason" in destinations) return skipped(destinations.reason);
  let first: string | null = null;
  for (const destination of destinations.places) {
    const planned = await planFor(context, run, { item, destination });
    const started = planned.plan.startable ? await start(context, run, { item, destination, planned }) : null;
    if (typeof started === "number") return started;
    first ??= started?.message ?? planned.plan.problems.map(({ message }) => message).join("; ");
    if (isOwnFault(planned.plan.problems)) break;
  }
  return skipped(first ?? "no node has room");
}

interface Trial {
  readonly item: Turn;
  readonly destination: Destination;
}

const planFor = ({ services }: StepContext, run: RunRecord, { item, destination }: Trial): Promise<PlannedMove> =>
  planMove(
    services,
    runRequest({
      guestId: item.guestId,
      toHostId: destination.hostId,
      toNode: destination.node,
      ipZoneId: run.ipZoneId,
      dropPortForwards: run.dropPortForwards,
    }),
  );

/** @returns the migration's id, or why it was refused */
async function start(
  context: StepContext,
  run: RunRecord,
  { item, destination, planned }: Trial & { planned: PlannedMove },
): Promise<number | DroverError> {
  await directItem(context, item, destination);
  const isEvacuation = run.kind === "evacuation";
  const membership = { evacuationId: isEvacuation ? run.id : null, balanceRunId: isEvacuation ? null : run.id };
  const caller = { ...context.services, viewer: anonymous, requestId: `job ${context.job.id}`, sourceIp: "" };
  try {
    return await startMove(caller, planned, membership);
  } catch (error) {
    // Somebody else took the guest, the room or the address between the look and the start: the next destination may do.
    if (error instanceof DroverError && error.kind === "conflict") return error;
    throw error;
  }
}

const skipped = (reason: string): Settlement => ({ status: RunItemStatus.SKIPPED, reason });
