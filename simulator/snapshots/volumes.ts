// Takes, applies and removes the snapshots inside the volumes of a guest, with the words of the tools that do it.
import { failure } from "../api.js";
import type { Platform } from "../platform.js";
import type { Volume } from "../state/storage.js";
import { isFileStorage, volumeId } from "../state/storage.js";
import { volumePath } from "../storage/naming.js";
import { storageNamed } from "../storage/storages.js";
import { findVolume } from "../storage/volumes.js";

type Log = (line: string) => void;

/** Of files only qcow2 images can be snapshot, unless the file system can do it; of volumes all but plain LVM. */
export function canSnapshot(platform: Platform, volid: string, node: string): boolean {
  const volume = findVolume(platform, volid, node);
  if (volume === null) return false;
  const { type } = storageNamed(platform.state, volume.storage);
  const isFile = isFileStorage(storageNamed(platform.state, volume.storage));
  return isFile ? volume.format === "qcow2" || type === "btrfs" : type !== "lvm";
}

/** Remembers a volume as it is under a name. */
export function snapshotVolume(platform: Platform, volid: string, at: { node: string; name: string }): void {
  const volume = findVolume(platform, volid, at.node);
  if (volume !== null) volume.snapshots = { ...volume.snapshots, [at.name]: volume.size };
}

/** One volume of a snapshot, and where to find it. */
interface SnapshotPart {
  volid: string;
  node: string;
  name: string;
}

/** Brings a volume back to what it was. @throws ApiError 500 when it, or its snapshot, is gone */
export function rollbackVolume(platform: Platform, part: SnapshotPart, log: Log): void {
  const volume = opened(platform, part, { option: "-a", log });
  const size = volume.snapshots?.[part.name];
  if (size === undefined) {
    log(`qemu-img: Could not apply snapshot '${part.name}': Failed to load snapshot: No such file or directory`);
    throw toolFailure(platform, part, "-a");
  }
  volume.size = size;
}

/** Forgets a volume's snapshot. @throws ApiError 500 when it, or its snapshot, is gone */
export function deleteVolumeSnapshot(platform: Platform, part: SnapshotPart, log: Log): void {
  const volume = opened(platform, part, { option: "-d", log });
  const { [part.name]: size, ...left } = volume.snapshots ?? {};
  if (size === undefined) {
    log(`qemu-img: Could not delete snapshot '${part.name}': snapshot not found`);
    throw toolFailure(platform, part, "-d");
  }
  volume.snapshots = left;
}

function opened(platform: Platform, part: SnapshotPart, how: { option: "-a" | "-d"; log: Log }): Volume {
  const volume = findVolume(platform, part.volid, part.node);
  if (volume !== null) return volume;
  const path = pathOf(platform, part.volid);
  how.log(`qemu-img: Could not open '${path}': Could not open '${path}': No such file or directory`);
  throw toolFailure(platform, part, how.option);
}

function toolFailure(platform: Platform, { volid, name }: SnapshotPart, option: string): Error {
  const command = `/usr/bin/qemu-img snapshot ${option} ${name} ${pathOf(platform, volid)}`;
  return failure(`command '${command}' failed: exit code 1`);
}

function pathOf(platform: Platform, volid: string): string {
  const cut = volid.indexOf(":");
  return volumePath(storageNamed(platform.state, volid.slice(0, cut)), volid.slice(cut + 1));
}

/** True when a volume is part of a snapshot of this guest. */
export function isHeld(snapshots: ReadonlyMap<string, { config: Record<string, string> }>, volume: Volume): boolean {
  const volid = volumeId(volume);
  const names = (value: string): boolean => value === volid || value.startsWith(`${volid},`);
  return [...snapshots.values()].some(({ config }) => Object.values(config).some(names));
}
