// Says how much disk a guest has, as far as its host tells.
import { gibibytes } from "./format.js";
import { texts } from "./texts/common.js";

interface GuestDisk {
  readonly diskGb: number;
  /** Null: the size of a disk is not known. */
  readonly diskBytes: number | null;
}

export function diskText({ diskGb, diskBytes }: GuestDisk): string {
  if (diskBytes !== null) return gibibytes(diskGb);
  return diskGb > 0 ? texts.atLeast(gibibytes(diskGb)) : texts.unknown;
}
