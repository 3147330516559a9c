// Applies configuration changes of containers that wait: all at a start, some while they run.
import { formatSize } from "../parameters/sizes.js";
import type { Platform } from "../platform.js";
import { registerUnused } from "../guests/unusedVolumes.js";
import type { Guest } from "../state/guest.js";
import { volumeId } from "../state/storage.js";
import { findVolume, free } from "../storage/volumes.js";
import { isMountPointName, newVolumeRequest, parseMountPoint, printMountPoint } from "./mountPoints.js";
import { allocateContainerVolume } from "./volumes.js";

const alwaysApplied = new Set("description onboot startup protection hostname hookscript cores tags lock".split(" "));

/** Applies everything that waits. */
export function applyContainerPending(platform: Platform, guest: Guest): void {
  for (const key of guest.pendingDeletes) applyDelete(platform, guest, key);
  for (const key of Object.keys(guest.pending)) applyValue(platform, guest, key);
}

/** Applies what a running container can take; the rest goes on waiting. */
export function hotplugContainer(platform: Platform, guest: Guest, keys: ReadonlySet<string>): void {
  for (const key of guest.pendingDeletes) if (keys.has(key) && canUnplug(key)) applyDelete(platform, guest, key);
  for (const key of Object.keys(guest.pending))
    if (keys.has(key) && canPlug(guest, key)) applyValue(platform, guest, key);
}

function canUnplug(key: string): boolean {
  return alwaysApplied.has(key) || /^(?:unused\d+|swap|cpulimit|cpuunits|net\d)$/.test(key);
}

function canPlug(guest: Guest, key: string): boolean {
  if (alwaysApplied.has(key) || /^(?:cpulimit|cpuunits|memory|swap|net\d+)$/.test(key)) return true;
  return /^(?:mp|dev)\d+$/.test(key) && guest.config[key] === undefined;
}

function applyDelete(platform: Platform, guest: Guest, key: string): void {
  const value = guest.config[key];
  if (value !== undefined && isMountPointName(key)) {
    const { volume } = parseMountPoint(platform.release, key, value);
    if (!volume.startsWith("/")) registerUnused(guest, volume);
  } else if (value !== undefined && /^unused\d+$/.test(key)) {
    const volume = findVolume(platform, value, guest.node);
    if (volume !== null) free(platform, volume, () => {});
  }
  delete guest.config[key];
  guest.pendingDeletes.delete(key);
}

function applyValue(platform: Platform, guest: Guest, key: string): void {
  const value = guest.pending[key];
  delete guest.pending[key];
  if (value === undefined) return;
  guest.config[key] = isMountPointName(key) ? withVolume(platform, guest, { key, value }) : value;
}

/** A mount point that asks for a new volume gets it now. */
function withVolume(platform: Platform, guest: Guest, entry: { key: string; value: string }): string {
  const mountPoint = parseMountPoint(platform.release, entry.key, entry.value);
  const request = newVolumeRequest(mountPoint);
  if (request === null) return entry.value;
  const volume = allocateContainerVolume(platform, { ...request, node: guest.node, vmid: guest.vmid }, () => {});
  const complete = { ...mountPoint, volume: volumeId(volume), size: formatSize(volume.size) };
  return printMountPoint(platform.release, entry.key, complete);
}
