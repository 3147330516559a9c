// Finds out from both hosts where the guest is.
import { GuestStatus } from "../../src/core/enums.js";
import { LockCause } from "../../src/core/inventory/lock.js";
import {
  Activity,
  GuestLocation,
  locationAfterTransfer,
  type Sighting,
} from "../../src/core/migration/guestLocation.js";
import { Handover, type GuestAddress, type GuestState } from "../../src/hypervisor/guest.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import { isPlatformError, PlatformReason } from "../../src/hypervisor/platformError.js";
import { isUnlockedRemains, type KnownRemains } from "./remains.js";
import { ownTunnel } from "./tunnel.js";
import { sourceGuest, sourceHost, targetGuest, targetHost, type MigrationContext } from "./context.js";

/** @param reportedDone whether the platform's task ended well. @throws DroverError platform */
export async function lookForGuest(context: MigrationContext, reportedDone: boolean): Promise<GuestLocation> {
  // It also finds the node that has the guest on the target.
  const tunnel = await ownTunnel(context);
  const [source, target] = await Promise.all([
    sight(await sourceHost(context), sourceGuest(context)),
    sight(await targetHost(context), targetGuest(context), context.facts),
  ]);
  const where = locationAfterTransfer({ source, target, reportedDone });
  return tunnel === null ? withoutTunnel(where, source?.lock === null && !reportedDone) : where;
}

/** Without a tunnel of ours, what the target has is somebody else's, who took the VMID first, whatever the source says of it. */
function withoutTunnel(where: GuestLocation, isUntouched: boolean): GuestLocation {
  if (where === GuestLocation.MOVED) return GuestLocation.UNCLEAR;
  return where === GuestLocation.UNCLEAR && isUntouched ? GuestLocation.STAYED : where;
}

/**
 * What one host has under a VMID; null: nothing, or nothing any longer. Remains of a transfer that this move has unlocked show
 * as they were then: anybody can start them since, which does not make them complete.
 */
export async function sight(
  hypervisor: Hypervisor,
  guest: GuestAddress,
  known: KnownRemains = {},
): Promise<Sighting | null> {
  try {
    const config = await hypervisor.guestConfig(guest);
    if (isUnlockedRemains(known, config)) return { lock: LockCause.CREATION, activity: Activity.STOPPED };
    return { lock: config.lockCause, activity: activityOf(await hypervisor.guestStatus(guest)) };
  } catch (error) {
    if (!isPlatformError(error, PlatformReason.NOT_FOUND)) throw error;
    return null;
  }
}

function activityOf({ status, handover }: GuestState): Activity {
  if (handover !== null) return handover === Handover.AWAITED ? Activity.ARRIVING : Activity.LEFT;
  if (status === GuestStatus.PAUSED) return Activity.PAUSED;
  return status === GuestStatus.RUNNING ? Activity.RUNNING : Activity.STOPPED;
}
