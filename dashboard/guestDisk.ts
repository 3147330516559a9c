// Says how much disk a guest has, as far as its host tells.
import { gibibytes } from "./format.js";
import { texts } from "./texts/common.js";

interface GuestDisk {
  readonly diskGb: number;
  /** Null: the size of a disk is not known. */
  readonly totalDiskGb: number | null;
}

export function diskText({ diskGb, totalDiskGb }: GuestDisk): string {
  if (totalDiskGb !== null) return gibibytes(totalDiskGb);
  return diskGb > 0 ? texts.atLeast(gibibytes(diskGb)) : texts.unknown;
}
