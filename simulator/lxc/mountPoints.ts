// Reads and writes the root volume and mount points of a container's configuration.
import { propertyTable } from "../parameters/namedFormats.js";
import type { Properties } from "../parameters/propertyString.js";
import { parsePropertyString, printPropertyString } from "../parameters/propertyString.js";
import type { PropertyTable } from "../parameters/propertyTable.js";
import { methodTable } from "../parameters/schema.js";
import type { ConfigValues } from "../state/guest.js";
import type { Release } from "../version.js";

/** A mount point's properties; `volume` is what is mounted. */
export type MountPoint = Properties & { volume: string };

export function isMountPointName(key: string): boolean {
  return key === "rootfs" || /^mp\d+$/.test(key);
}

function mountPointTable(release: Release, key: string): PropertyTable {
  const table = methodTable(release, "POST /nodes/{node}/lxc") ?? {};
  return propertyTable(table[key === "rootfs" ? "rootfs" : "mp[n]"]?.format) ?? {};
}

export function parseMountPoint(release: Release, key: string, value: string): MountPoint {
  const properties = parsePropertyString(value, mountPointTable(release, key));
  return { ...properties, volume: properties.volume ?? "" };
}

export function printMountPoint(release: Release, key: string, mountPoint: MountPoint): string {
  return printPropertyString(mountPoint, mountPointTable(release, key));
}

/** A volume of a storage, a directory of the host, or a device of the host. */
export function mountKind(mountPoint: MountPoint): "volume" | "bind" | "device" {
  if (mountPoint.volume.startsWith("/dev/")) return "device";
  return mountPoint.volume.startsWith("/") ? "bind" : "volume";
}

/** Storage and size of a `storage:GiB` that asks for a new volume, or null. */
export function newVolumeRequest(mountPoint: MountPoint): { storage: string; bytes: number } | null {
  const match = /^([^:\s]+):(\d+(?:\.\d+)?)$/.exec(mountPoint.volume);
  if (match === null) return null;
  return { storage: match[1] ?? "", bytes: Math.trunc(Number(match[2]) * 1024) * 1024 ** 2 };
}

/** Root volume and mount points of a configuration. */
export function mountPointsOf(release: Release, config: ConfigValues): [string, MountPoint][] {
  return Object.entries(config)
    .filter(([key]) => isMountPointName(key))
    .map(([key, value]) => [key, parseMountPoint(release, key, value)]);
}
