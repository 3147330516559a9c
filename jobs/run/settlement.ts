// Decides how a guest's turn ended: by where the guest really is, not by what a task's text says.
import { RunItemStatus, MigrationStatus, GuestStatus, type GuestType } from "../../src/core/enums.js";
import {
  Activity,
  GuestLocation,
  locationAfterTransfer,
  type Sighting,
} from "../../src/core/migration/guestLocation.js";
import { DroverError } from "../../src/errors/errors.js";
import type { StepContext } from "../engine/step.js";
import type { MigrationState } from "./awaitMove.js";
import type { Settlement } from "../../src/store/run/turn.js";

/** @param migration null: its record is gone */
export async function settlementOf(context: StepContext, migration: MigrationState | null): Promise<Settlement> {
  if (migration === null) return { status: RunItemStatus.FAILED, reason: "the migration's record is gone" };
  const warnings = migration.warnings.join("; ");
  if (migration.status === MigrationStatus.DONE) return { status: RunItemStatus.DONE, reason: null };
  if (migration.status === MigrationStatus.DONE_WITH_WARNINGS) {
    return { status: RunItemStatus.DONE_WITH_WARNINGS, reason: warnings || null };
  }
  const error = migration.error ?? "the migration failed";
  const hasMoved = migration.transferDone || (await isOnTarget(context, migration));
  if (!hasMoved) return { status: RunItemStatus.FAILED, reason: error };
  return { status: RunItemStatus.DONE_WITH_WARNINGS, reason: `the guest is on the target, but: ${error}` };
}

/** The platform leaves the original locked once a transfer is complete; without that mark the target's guest is another. */
async function isOnTarget(context: StepContext, migration: MigrationState): Promise<boolean> {
  const { type, sourceHostId, targetHostId, vmid, targetVmid } = migration;
  try {
    const [source, target] = await Promise.all([
      sighting(context, sourceHostId, { type, vmid }),
      sighting(context, targetHostId, { type, vmid: targetVmid }),
    ]);
    return locationAfterTransfer({ source, target, reportedDone: false }) === GuestLocation.MOVED;
  } catch (error) {
    if (!(error instanceof DroverError)) throw error;
    context.log.warn({ err: error }, "where the guest is could not be looked at: the migration's own record counts");
    return false;
  }
}

async function sighting(
  { services: { hypervisors } }: StepContext,
  hostId: number,
  wanted: { readonly type: GuestType; readonly vmid: number },
): Promise<Sighting | null> {
  const { guests } = await (await hypervisors.of(hostId)).resources();
  const guest = guests.find(({ type, vmid }) => type === wanted.type && vmid === wanted.vmid);
  if (guest === undefined) return null;
  return { lock: guest.lockCause, activity: ACTIVITIES[guest.status] };
}

const ACTIVITIES: Readonly<Record<GuestStatus, Activity>> = {
  [GuestStatus.RUNNING]: Activity.RUNNING,
  [GuestStatus.PAUSED]: Activity.PAUSED,
  [GuestStatus.SUSPENDED]: Activity.STOPPED,
  [GuestStatus.STOPPED]: Activity.STOPPED,
  [GuestStatus.UNKNOWN]: Activity.STOPPED,
};
