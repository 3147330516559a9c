// Finds out which guests that a host no longer lists are really gone: lists leave out what the identity may not see.
import pLimit from "p-limit";
import type { Hypervisor } from "../hypervisor/hypervisor.js";
import type { RecordedHost } from "../store/storedHost.js";

const CALLS_AT_ONCE = 8;

/**
 * Asks about each stored guest that was not observed. Every account may ask whether a VMID is free, whatever its privileges.
 * @returns the VMIDs that are free: their guests are gone
 * @throws DroverError platform
 */
export async function freedVmids(
  hypervisor: Hypervisor,
  { guests, heldVmids }: RecordedHost,
  observed: { has(vmid: number): boolean },
): Promise<ReadonlySet<number>> {
  const held = new Set(heldVmids);
  const missing = [...guests.byVmid.keys()].filter((vmid) => !observed.has(vmid) && !held.has(vmid));
  const free = await pLimit(CALLS_AT_ONCE).map(missing, async (vmid) =>
    (await hypervisor.vmidIsFree(vmid)) ? [vmid] : [],
  );
  return new Set(free.flat());
}
