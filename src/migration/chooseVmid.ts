// Chooses the VMID of a guest on the target: one that no guest has there, and no volume that its own would collide with.
import type { MappingChoice } from "../core/migration/mapping.js";
import type { StorageVolume } from "../hypervisor/observed.js";
import { isPlatformError, PlatformReason } from "../hypervisor/platformError.js";
import type { MoveKnowledge } from "./moveKnowledge.js";
import type { MovingGuest } from "./moveRecords.js";
import { disksOn } from "./targetVolumes.js";
import type { MoveRequest } from "./moveRequest.js";

/** A storage that does not list its volumes to the connection, or not for the moment: the transfer is told why. */
const UNANSWERED = [
  PlatformReason.FORBIDDEN,
  PlatformReason.REFUSED,
  PlatformReason.NOT_FOUND,
  PlatformReason.FAILED,
  PlatformReason.UNREACHABLE,
] as const;

/** Null: not known, because nothing was chosen for a storage, or because one does not tell. @throws DroverError platform */
export async function volumesOnTarget(
  knowledge: MoveKnowledge,
  { targetHostId, targetNode }: MoveRequest,
  storages: readonly MappingChoice[],
): Promise<readonly StorageVolume[] | null> {
  const targets = storages.flatMap(({ target }) => target ?? []);
  if (targets.length < storages.length) return null;
  try {
    return await disksOn(await knowledge.hypervisor(targetHostId), targetNode, targets);
  } catch (error) {
    if (!isPlatformError(error, ...UNANSWERED)) throw error;
    return null;
  }
}

/** Names of the volumes that are not what an earlier attempt left: those are removed before the next. */
export async function strangers(
  knowledge: MoveKnowledge,
  { targetHostId }: MoveRequest,
  { vmid, volumes }: { readonly vmid: number; readonly volumes: readonly StorageVolume[] },
): Promise<readonly string[]> {
  const found = volumes.filter((volume) => volume.vmid === vmid);
  const own = await knowledge.ownLeftovers(targetHostId, vmid, found);
  return found.filter((volume) => !own.includes(volume)).map(({ volid }) => volid);
}

/**
 * A VMID that was asked for is taken or free; without one the guest keeps its own, or gets the next that is free.
 * @param volumes on the storages that the guest's disks go to: a VMID that any of them has is not chosen
 * @throws DroverError conflict `NO_FREE_VMID`
 */
export async function chooseVmid(
  knowledge: MoveKnowledge,
  { guest, request }: { readonly guest: Pick<MovingGuest, "vmid">; readonly request: MoveRequest },
  volumes: readonly StorageVolume[],
): Promise<{ vmid: number; taken: boolean }> {
  const { targetVmid, targetHostId } = request;
  const first = targetVmid ?? guest.vmid;
  const isTakenThere = (vmid: number): Promise<boolean> => isTaken(knowledge, targetHostId, vmid);
  if (targetVmid !== null) return { vmid: first, taken: await isTakenThere(first) };
  const isFree = async (vmid: number): Promise<boolean> =>
    (await strangers(knowledge, request, { vmid, volumes })).length === 0 && !(await isTakenThere(vmid));
  if (await isFree(first)) return { vmid: first, taken: false };
  const unusable: number[] = [];
  // The platform may have guests there that the inventory has not seen yet, or never sees.
  for (;;) {
    const free = await knowledge.freeVmids(targetHostId, unusable);
    for (const vmid of free) {
      if (await isFree(vmid)) return { vmid, taken: false };
      unusable.push(vmid);
    }
    if (free.length === 0) throw await knowledge.noFreeVmid(targetHostId);
  }
}

async function isTaken(knowledge: MoveKnowledge, hostId: number, vmid: number): Promise<boolean> {
  if (await knowledge.vmidIsTaken(hostId, vmid)) return true;
  try {
    return !(await (await knowledge.hypervisor(hostId)).vmidIsFree(vmid));
  } catch (error) {
    // Another check says that the target is away.
    if (isPlatformError(error, PlatformReason.UNREACHABLE)) return false;
    throw error;
  }
}
