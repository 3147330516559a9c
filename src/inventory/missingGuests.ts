// Finds out which guests that a host no longer lists are really gone: lists leave out what the identity may not see.
import type { Hypervisor } from "../hypervisor/hypervisor.js";
import type { ObservedGuest } from "../hypervisor/observed.js";
import { inParallel } from "./inParallel.js";
import type { StoredHost } from "./stored.js";

const CALLS_AT_ONCE = 8;

/**
 * Asks about each stored guest that was not observed. Whether a VMID is free is told to everybody, whatever its privileges.
 * @returns the VMIDs that are free: their guests are gone
 * @throws DroverError platform
 */
export async function freedVmids(
  hypervisor: Hypervisor,
  { guests, heldVmids }: StoredHost,
  observed: readonly ObservedGuest[],
): Promise<ReadonlySet<number>> {
  const seen = new Set([...observed.map(({ vmid }) => vmid), ...heldVmids]);
  const missing = guests.map(({ vmid }) => vmid).filter((vmid) => !seen.has(vmid));
  const free = await inParallel(missing, CALLS_AT_ONCE, async (vmid) =>
    (await hypervisor.vmidIsFree(vmid)) ? [vmid] : [],
  );
  return new Set(free.flat());
}
