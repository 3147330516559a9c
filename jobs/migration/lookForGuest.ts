// Looks on both hosts where the guest is.
import { configOrNull } from "../../src/actions/locateGuest.js";
import { GuestStatus } from "../../src/core/enums.js";
import { whereabouts, type Sighting, type Whereabouts } from "../../src/core/migration/whereabouts.js";
import type { GuestAddress } from "../../src/hypervisor/guest.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import { sourceGuest, sourceHost, targetGuest, targetHost, type MigrationWorld } from "./world.js";

/** @param reportedDone whether the platform's task ended well. @throws DroverError platform */
export async function lookForGuest(world: MigrationWorld, reportedDone: boolean): Promise<Whereabouts> {
  const [source, target] = await Promise.all([
    sight(await sourceHost(world), sourceGuest(world)),
    sight(await targetHost(world), targetGuest(world)),
  ]);
  return whereabouts({ source, target, reportedDone });
}

/** What one host has under a VMID; null: nothing. */
export async function sight(hypervisor: Hypervisor, guest: GuestAddress): Promise<Sighting | null> {
  const config = await configOrNull(hypervisor, guest);
  if (config === null) return null;
  const { status } = await hypervisor.guestStatus(guest);
  const isRunning = status === GuestStatus.RUNNING || status === GuestStatus.PAUSED;
  return { lock: config.values["lock"] ?? null, running: isRunning };
}
