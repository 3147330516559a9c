// Looks up the sizes of disks that the configuration does not state, mostly of disks that are not attached.
import { DiskKind, type Disk } from "../../core/inventory/disk.js";
import type { Hypervisor } from "../../hypervisor/hypervisor.js";
import { isPlatformError, PlatformReason } from "../../hypervisor/platformError.js";

/** The others are a few MiB at most, and lists of storages can be slow. */
const WORTH_ASKING: readonly DiskKind[] = [DiskKind.DATA, DiskKind.UNUSED];

/** A size that the storage does not tell either stays null. @throws DroverError platform */
export async function withSizes(
  hypervisor: Hypervisor,
  node: string,
  disks: readonly Disk[],
): Promise<readonly Disk[]> {
  const unstated = disks.filter(({ bytes, kind }) => bytes === null && WORTH_ASKING.includes(kind));
  const storages = new Set(unstated.flatMap(({ storage }) => storage ?? []));
  const lists = await Promise.all([...storages].map((storage) => sizesOn(hypervisor, node, storage)));
  const sizes = new Map(lists.flat());
  return disks.map((disk) => ({ ...disk, bytes: disk.bytes ?? sizes.get(disk.volume) ?? null }));
}

async function sizesOn(
  hypervisor: Hypervisor,
  node: string,
  storage: string,
): Promise<[volume: string, bytes: number][]> {
  try {
    return (await hypervisor.volumes(node, storage)).map(({ volid, sizeBytes }) => [volid, sizeBytes]);
  } catch (error) {
    if (isPlatformError(error, PlatformReason.FORBIDDEN, PlatformReason.REFUSED, PlatformReason.NOT_FOUND)) return [];
    throw error;
  }
}
