// Reads and writes the drive entries of a VM's configuration.
import { propertyTable } from "../parameters/namedFormats.js";
import type { Properties } from "../parameters/propertyString.js";
import { parsePropertyString, printPropertyString } from "../parameters/propertyString.js";
import type { PropertyTable } from "../parameters/propertyTable.js";
import { methodTable, propertySchema } from "../parameters/schema.js";
import type { ConfigValues } from "../state/guest.js";
import type { Release } from "../version.js";

/** A drive's properties; `file` is the volume. */
export type Drive = Properties & { file: string };

const driveName = /^(?:ide[0-3]|sata[0-5]|scsi(?:[12]?\d|30)|virtio(?:\d|1[0-5])|efidisk0|tpmstate0)$/;
const newDisk = /^(?:(?<storage>[^/:\s]+):)?(?<gib>\d+(?:\.\d+)?)$/;

/** Drive names in the order in which a boot disk is looked for. */
const bootOrder = ["ide", "scsi", "virtio", "sata"];

export function isDriveName(key: string): boolean {
  return driveName.test(key);
}

export function isUnusedName(key: string): boolean {
  return /^unused\d+$/.test(key);
}

function driveTable(release: Release, key: string): PropertyTable {
  const table = methodTable(release, "POST /nodes/{node}/qemu") ?? {};
  return propertyTable(propertySchema(table, key)?.format) ?? {};
}

/** Takes an entry apart; one without a file has an empty one. */
export function parseDrive(release: Release, key: string, value: string): Drive {
  const properties = parsePropertyString(value, driveTable(release, key));
  return { ...properties, file: properties.file ?? "" };
}

export function printDrive(release: Release, key: string, drive: Drive): string {
  return printPropertyString(drive, driveTable(release, key));
}

/** Any CD-ROM, cloud-init drives included. */
export function isCdrom(drive: Drive): boolean {
  return drive.media === "cdrom";
}

export function isCloudInit(drive: Drive): boolean {
  return /[:/](?:vm-\d+-)?cloudinit(?:\.(?:raw|qcow2|qed|vmdk|cloop))?$/.test(drive.file);
}

/** Storage and size of a `storage:GiB` that asks for a new volume, or null. */
export function newDiskRequest(drive: Drive): { storage: string | undefined; gib: number } | null {
  const groups = newDisk.exec(drive.file)?.groups;
  return groups === undefined ? null : { storage: groups.storage, gib: Number(groups.gib) };
}

/** Drives of a configuration, sorted by name. */
export function drivesOf(release: Release, config: ConfigValues): [string, Drive][] {
  return Object.entries(config)
    .filter(([key]) => isDriveName(key))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => [key, parseDrive(release, key, value)]);
}

/** Slot of a cloud-init drive other than `except`, or null. */
export function cloudInitSlot(release: Release, config: ConfigValues, except?: string): string | null {
  return drivesOf(release, config).find(([key, drive]) => key !== except && isCloudInit(drive))?.[0] ?? null;
}

/** First disk, or first CD-ROM, that a VM would boot from. */
function firstDrive(release: Release, config: ConfigValues, cdrom: boolean): string | null {
  for (const bus of bootOrder)
    for (let index = 0; index < 31; index += 1) {
      const value = config[`${bus}${index}`];
      if (value !== undefined && isCdrom(parseDrive(release, `${bus}${index}`, value)) === cdrom)
        return `${bus}${index}`;
    }
  return null;
}

/** Devices of a `boot` value's `order=`. */
export function bootDevices(boot: string | undefined): string[] {
  const order = /(?:^|,)order=([^,]*)/.exec(boot ?? "")?.[1];
  return order === undefined ? [] : order.split(";").filter((device) => device !== "");
}

export function printBootOrder(devices: readonly string[]): string {
  return devices.length === 0 ? "" : `order=${devices.join(";")}`;
}

/** What a VM boots from when nobody said: first disk, first CD-ROM, first network card. */
export function defaultBootOrder(release: Release, config: ConfigValues): string {
  const network = Object.keys(config)
    .filter((key) => /^net\d+$/.test(key))
    .toSorted((a, b) => Number(a.slice(3)) - Number(b.slice(3)))[0];
  const devices = [firstDrive(release, config, false), firstDrive(release, config, true), network ?? null];
  return printBootOrder(devices.filter((device) => device !== null));
}

/** Slot of the disk that the VM boots from, or null. */
export function bootDisk(release: Release, config: ConfigValues): string | null {
  const ordered = bootDevices(config.boot).find((device) => {
    const value = config[device];
    return value !== undefined && isDriveName(device) && !isCdrom(parseDrive(release, device, value));
  });
  return ordered ?? firstDrive(release, config, false);
}
