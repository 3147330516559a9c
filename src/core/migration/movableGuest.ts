// A guest that is to leave its node: what balancing and evacuation decide on.
import type { GuestType } from "../enums.js";
import type { PlacementRequest } from "../placement/snapshot.js";

export interface MovableGuest {
  readonly hostId: number;
  readonly node: string;
  readonly vmid: number;
  readonly type: GuestType;
  readonly running: boolean;
  /** Configured size. */
  readonly cores: number;
  readonly memoryMb: number;
  readonly diskGb: number;
  /** The storage of all its disks; null: they lie on several, or it is not known. */
  readonly storage: string | null;
  /** What it uses: MiB of RAM, and cores kept busy. */
  readonly memoryUsedMb: number;
  readonly coresUsed: number;
  /** Why it would fail the migration pre-flight; null when it would pass. */
  readonly obstacle: string | null;
}

/** @returns the place that a guest needs on another node: its configured size; no free RAM while it is stopped. */
export const placeFor = ({ type, running, memoryMb, cores, diskGb }: MovableGuest): PlacementRequest => ({
  type,
  memoryMb: running ? memoryMb : 0,
  cores,
  diskGb,
  nodeMemoryMb: memoryMb,
});

/** Orders the smallest first: configured RAM, then disk, then VMID. */
export const bySize = (left: MovableGuest, right: MovableGuest): number =>
  left.memoryMb - right.memoryMb || left.diskGb - right.diskGb || left.vmid - right.vmid;
