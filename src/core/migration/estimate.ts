// Estimates what a move copies and how long it takes.
import { MigrationMode } from "../enums.js";
import { DiskKind, knownBytes, type Disk } from "../inventory/disk.js";
import { MIB } from "../units.js";

/** Everything but CD drives and paths of the node is copied, unused disks and the cloud-init drive too. */
const NOT_COPIED: readonly DiskKind[] = [DiskKind.CDROM, DiskKind.HOST_PATH];

/** @returns whether Proxmox VE copies this drive to the target. */
export const isCopied = ({ kind, storage }: Disk): boolean => storage !== null && !NOT_COPIED.includes(kind);

/** What a running machine does not write to, or not by itself, is copied before a live move begins. */
const NEVER_MIRRORED: readonly DiskKind[] = [DiskKind.CLOUD_INIT, DiskKind.TPM, DiskKind.UNUSED];

/** @returns whether Proxmox VE copies this drive as it lies, in a format that both storages must know. */
export const isCopiedAsItLies = (disk: Disk, mode: MigrationMode): boolean =>
  isCopied(disk) && (mode !== MigrationMode.LIVE || NEVER_MIRRORED.includes(disk.kind));

/** @returns the bytes that a move copies: all volumes whose size is known, and RAM when the guest keeps running. */
export function bytesToCopy(disks: readonly Disk[], mode: MigrationMode, memoryMb: number): number {
  const ofDisks = knownBytes(disks.filter(isCopied));
  return mode === MigrationMode.LIVE ? ofDisks + memoryMb * MIB : ofDisks;
}

/**
 * @param durations of earlier successful migrations from the same node to the same node, in seconds.
 * @returns their average in whole seconds; null when there was none: the duration is unknown.
 */
export function expectedSeconds(durations: readonly number[]): number | null {
  if (durations.length === 0) return null;
  return Math.round(durations.reduce((sum, duration) => sum + duration, 0) / durations.length);
}

/** @returns a duration for people, such as `about 3 min`; null is the unknown one. */
export function describeDuration(seconds: number | null): string {
  if (seconds === null) return "Duration unknown";
  return seconds < 90 ? `about ${Math.max(1, Math.round(seconds))} s` : `about ${Math.round(seconds / 60)} min`;
}

/** @returns the share 0..1 that is copied; null when either figure is not known. Never more than the whole. */
export function transferProgress(copied: number | null, total: number | null): number | null {
  return copied === null || total === null || total <= 0 ? null : Math.min(1, copied / total);
}
