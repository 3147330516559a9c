// Applies configuration changes that wait: all of them at a start, the hot-pluggable ones while a VM runs.
import { registerUnused } from "../guests/unusedVolumes.js";
import { splitList } from "../parameters/lists.js";
import type { Platform } from "../platform.js";
import type { Guest } from "../state/guest.js";
import { volumeId } from "../state/storage.js";
import { findVolume, free } from "../storage/volumes.js";
import { isCdrom, isCloudInit, isDriveName, parseDrive } from "./drives.js";
import { plugProcessorsAndMemory } from "./hotplug.js";
import { isCloudInitKey } from "./permissions.js";

const alwaysApplied = new Set(
  "description hookscript lock migrate_downtime migrate_speed name onboot protection shares startup tags vmstatestorage".split(
    " ",
  ),
);

/** Applies everything that waits. */
export function applyPending(platform: Platform, guest: Guest): void {
  for (const key of guest.pendingDeletes) applyDelete(platform, guest, key);
  for (const key of Object.keys(guest.pending)) applyValue(platform, guest, key);
}

/** Applies what a running VM can take; the rest goes on waiting. @returns what went wrong, by key */
export async function hotplugPending(
  platform: Platform,
  guest: Guest,
  keys: ReadonlySet<string>,
): Promise<Record<string, string>> {
  const pluggable = (key: string): boolean =>
    alwaysApplied.has(key) || isCloudInitKey(key) || (keys.has(key) && canHotplug(platform, guest, key));
  for (const key of guest.pendingDeletes) if (pluggable(key)) applyDelete(platform, guest, key);
  const problems: Record<string, string> = {};
  for (const key of Object.keys(guest.pending)) {
    if (!pluggable(key)) continue;
    const plugged = await plugProcessorsAndMemory(platform, guest, key);
    if (plugged.problem !== null) problems[key] = `hotplug problem - ${plugged.problem}\n`;
    else {
      if (plugged.value !== undefined) guest.pending[key] = plugged.value;
      applyValue(platform, guest, key);
    }
  }
  return problems;
}

function canHotplug(platform: Platform, guest: Guest, key: string): boolean {
  const { hotplug = "1" } = guest.config;
  const features = new Set(splitList(hotplug === "1" ? "network,disk,usb" : hotplug));
  const value = guest.pending[key];
  if (key === "cpuunits" || key === "cpulimit") return true;
  if (key === "balloon") return isOn(guest.config.balloon) === isOn(value);
  if (key === "agent") return guest.config.agent !== undefined && enabled(guest.config.agent) === enabled(value ?? "");
  if (key === "hotplug") return !/memory|cpu/.test(`${value ?? ""}${guest.config.hotplug ?? ""}`);
  if (/^net\d+$/.test(key)) return features.has("network");
  if (/^usb\d+$/.test(key)) return features.has("usb") && guest.config.ostype === "l26";
  if (key === "vcpus") return features.has("cpu");
  if (key === "memory") return features.has("memory");
  return isDriveName(key) && canHotplugDrive(platform, { guest, key, diskFeature: features.has("disk") });
}

/** Media of a CD-ROM change in place; disks come and go on SCSI and VirtIO only. */
function canHotplugDrive(platform: Platform, change: { guest: Guest; key: string; diskFeature: boolean }): boolean {
  const { guest, key } = change;
  const before = guest.config[key];
  const after = guest.pending[key];
  if (/^(?:efidisk|tpmstate)/.test(key)) return false;
  const drives = [before, after]
    .filter((value) => value !== undefined)
    .map((value) => parseDrive(platform.release, key, value));
  if (after !== undefined && before !== undefined && drives.every(isCdrom)) return true;
  return change.diskFeature && !/^(?:ide|sata)/.test(key);
}

function isOn(balloon: string | undefined): boolean {
  return balloon === undefined || balloon !== "0";
}

function enabled(agent: string): boolean {
  return /^(?:1|enabled=1)/.test(agent);
}

function applyDelete(platform: Platform, guest: Guest, key: string): void {
  const value = guest.config[key];
  if (value !== undefined && isDriveName(key)) detach(platform, guest, { key, value });
  delete guest.config[key];
  guest.pendingDeletes.delete(key);
}

function applyValue(platform: Platform, guest: Guest, key: string): void {
  const value = guest.pending[key];
  const before = guest.config[key];
  delete guest.pending[key];
  if (value === undefined) return;
  if (before !== undefined && isDriveName(key) && fileOf(platform, key, before) !== fileOf(platform, key, value))
    detach(platform, guest, { key, value: before });
  guest.config[key] = value;
}

function fileOf(platform: Platform, key: string, value: string): string {
  return parseDrive(platform.release, key, value).file;
}

/** A disk taken out stays as `unusedN`; cloud-init images are freed, other media belong to nobody. */
function detach(platform: Platform, guest: Guest, drive: { key: string; value: string }): void {
  const parsed = parseDrive(platform.release, drive.key, drive.value);
  const volume = findVolume(platform, parsed.file, guest.node);
  if (volume === null || volume.vmid !== guest.vmid) return;
  if (isCloudInit(parsed)) free(platform, volume, () => {});
  else if (!isCdrom(parsed)) registerUnused(guest, volumeId(volume));
}
