// Looks up the sizes of disks that the configuration does not state: of disks that are not attached, and of lines written by hand.
import { DiskKind, type Disk } from "../core/inventory/disk.js";
import type { Hypervisor } from "./hypervisor.js";
import { isPlatformError, PlatformReason } from "./platformError.js";

/** The others are a few MiB at most, and lists of storages can be slow. */
const WORTH_ASKING: readonly DiskKind[] = [DiskKind.DATA, DiskKind.UNUSED];

/** Bytes by volume id. */
type Sizes = ReadonlyMap<string, number>;

/** How the sizes on one storage of a node are learnt. */
export type SizesOn = (node: string, storage: string) => Promise<Sizes>;

/**
 * What the overview of guests says of a disk is no size to fall back on: of a machine it repeats the configuration, of a stopped
 * container without a size it says 4 GiB, and of a running one how large the file system is that the disk is on.
 * @param kinds of the disks whose size is wanted.
 * @returns the disks; a size that the storage does not tell either, or not to this connection, stays null. @throws DroverError platform
 */
export async function withSizes(
  sizesOn: SizesOn,
  node: string,
  disks: readonly Disk[],
  kinds: readonly DiskKind[] = WORTH_ASKING,
): Promise<readonly Disk[]> {
  const unstated = disks.filter(({ bytes, kind }) => bytes === null && kinds.includes(kind));
  const storages = [...new Set(unstated.flatMap(({ storage }) => storage ?? []))];
  if (storages.length === 0) return disks;
  const lists = await Promise.all(storages.map((storage) => sizesOn(node, storage)));
  const sizeOf = (volume: string): number | undefined => lists.find((sizes) => sizes.has(volume))?.get(volume);
  return disks.map((disk) => ({ ...disk, bytes: disk.bytes ?? sizeOf(disk.volume) ?? null }));
}

/** @returns how the sizes on storages of a host are learnt. Whole lists are asked for: a disk may be named after another guest. */
export const sizesOf =
  (hypervisor: Pick<Hypervisor, "volumes">): SizesOn =>
  async (node, storage) => {
    try {
      const volumes = await hypervisor.volumes(node, storage);
      return new Map(volumes.flatMap(({ volid, sizeBytes }) => (sizeBytes === null ? [] : [[volid, sizeBytes]])));
    } catch (error) {
      if (isPlatformError(error, PlatformReason.FORBIDDEN, PlatformReason.REFUSED, PlatformReason.NOT_FOUND))
        return new Map();
      throw error;
    }
  };
