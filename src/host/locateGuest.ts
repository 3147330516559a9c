// Finds on which node of its host a guest is now: inside a cluster it may have moved since the last sync.
import type { GuestAddress } from "../hypervisor/guest.js";
import type { GuestConfig } from "../hypervisor/guestConfig.js";
import type { Hypervisor } from "../hypervisor/hypervisor.js";
import { isPlatformError, PlatformReason } from "../hypervisor/platformError.js";

/** A guest that the platform has, where it is. */
export interface LocatedGuest {
  readonly guest: GuestAddress;
  readonly config: GuestConfig;
}

/**
 * Asks the node that is known first.
 * @returns null when no node of the host has a guest of this type and VMID
 * @throws DroverError platform, as when the guest's node is away
 */
export async function locateGuest(hypervisor: Hypervisor, known: GuestAddress): Promise<LocatedGuest | null> {
  const config = await configOrNull(hypervisor, known);
  if (config !== null) return { guest: known, config };
  const { guests } = await hypervisor.resources();
  const moved = guests.find(
    ({ type, vmid, node }) => type === known.type && vmid === known.vmid && node !== known.node,
  );
  if (moved === undefined) return null;
  const guest = { type: known.type, node: moved.node, vmid: known.vmid };
  const found = await configOrNull(hypervisor, guest);
  return found && { guest, config: found };
}

/** The guest's configuration, or null when its node has no such guest. */
export async function configOrNull(hypervisor: Hypervisor, guest: GuestAddress): Promise<GuestConfig | null> {
  try {
    return await hypervisor.guestConfig(guest);
  } catch (error) {
    if (isPlatformError(error, PlatformReason.NOT_FOUND)) return null;
    throw error;
  }
}
