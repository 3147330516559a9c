// Estimates what a move copies and how long it takes.
import { MigrationMode } from "../enums.js";
import { LARGEST_INT } from "../integer.js";
import { DiskKind, knownBytes, type Disk } from "../inventory/disk.js";
import { GIB, MIB } from "../units.js";

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

/** What earlier successful moves from one node to another have shown. */
export interface RouteHistory {
  /** Average of them all in seconds; null: there was none. */
  readonly averageSeconds: number | null;
  /** At most one for each mode. */
  readonly paces: readonly Pace[];
}

/** Moves of one mode, added up: what they copied, and the seconds from their start to their end. */
interface Pace {
  readonly mode: MigrationMode;
  readonly bytes: number;
  readonly seconds: number;
}

/** A pace is that of so many moves, the newest: links and storages change. */
export const MOVES_A_PACE = 20;
/** The time of a smaller move is mostly that of the steps around its transfer. */
export const LEAST_BYTES_OF_A_PACE = GIB;

/** @returns the average duration in whole seconds of earlier moves on the route; null when there was none: it is unknown. */
export const expectedSeconds = ({ averageSeconds }: RouteHistory): number | null =>
  averageSeconds === null ? null : Math.round(averageSeconds);

/**
 * @param limitMib of the move, MiB/s; null: none is known
 * @returns what earlier moves of the mode copied a second, and never more than the limit; null when there was none
 */
export function bytesPerSecond({ paces }: RouteHistory, mode: MigrationMode, limitMib: number | null): number | null {
  const pace = paces.find((one) => one.mode === mode);
  if (pace === undefined) return null;
  return Math.min(pace.bytes / pace.seconds, limitMib === null ? Number.POSITIVE_INFINITY : limitMib * MIB);
}

interface Copying {
  readonly bytesToCopy: number;
  /** Null: unknown. */
  readonly bytesPerSecond: number | null;
  /** Keys of disks that `bytesToCopy` does not count. */
  readonly unsizedDisks: readonly string[];
}

/** @returns the whole seconds that the bytes take at that pace; null when either is not known. A longer time than an Int is cut. */
export const transferSeconds = ({ bytesToCopy: bytes, bytesPerSecond: pace, unsizedDisks }: Copying): number | null =>
  pace === null || unsizedDisks.length > 0 ? null : Math.min(Math.round(bytes / pace), LARGEST_INT);

/** @returns a duration for people, such as `about 3 min`; null is the unknown one. */
export function describeDuration(seconds: number | null): string {
  if (seconds === null) return "Duration unknown";
  return seconds < 90 ? `about ${Math.max(1, Math.round(seconds))} s` : `about ${Math.round(seconds / 60)} min`;
}

/** @returns the share 0..1 that is copied; null when either figure is not known. Never more than the whole. */
export function transferProgress(copied: number | null, total: number | null): number | null {
  return copied === null || total === null || total <= 0 ? null : Math.min(1, copied / total);
}
