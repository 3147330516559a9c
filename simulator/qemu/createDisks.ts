// Makes the volumes that a VM's new drive entries ask for and completes the entries.
import { failure } from "../api.js";
import { formatSize } from "../parameters/sizes.js";
import type { Platform } from "../platform.js";
import type { ConfigValues } from "../state/guest.js";
import type { Volume } from "../state/storage.js";
import { isFileStorage, splitVolumeId, volumeId } from "../state/storage.js";
import { storageNamed } from "../storage/storages.js";
import { allocate, convertToBase, defaultFormat, existingVolume, findVolume, free } from "../storage/volumes.js";
import { atLeast } from "../version.js";
import type { Drive } from "./drives.js";
import { cloudInitSlot, isCloudInit, isDriveName, newDiskRequest, parseDrive, printDrive } from "./drives.js";

/** What disks are made for. */
interface DiskContext {
  platform: Platform;
  node: string;
  vmid: number;
  /** Configuration that the drives join. */
  config: ConfigValues;
  defaultStorage?: string | undefined;
  log: (line: string) => void;
}

/** Size of a new cloud-init drive. */
export const cloudInitBytes = 4 * 1024 ** 2;
const efiBytes = 540_672;
const tpmBytes = 4 * 1024 ** 2;

/**
 * Makes all volumes, or none: those made before a failure are freed again.
 * @returns the completed drive entries
 */
export function createDisks(context: DiskContext, wanted: ConfigValues): ConfigValues {
  const made: Volume[] = [];
  const result: ConfigValues = {};
  try {
    for (const key of Object.keys(wanted).toSorted())
      if (isDriveName(key)) result[key] = createDisk({ ...context, made, result }, key, wanted[key] ?? "");
    return result;
  } catch (error) {
    for (const volume of made) free(context.platform, volume, context.log);
    throw error;
  }
}

type Making = DiskContext & { made: Volume[]; result: ConfigValues };

function createDisk(making: Making, key: string, value: string): string {
  const { release } = making.platform;
  const drive = parseDrive(release, key, value);
  if (drive.file === "none" || drive.file === "cdrom") {
    delete drive.size;
    return printDrive(release, key, drive);
  }
  if (/^(?:.+:)?cloudinit$/.test(drive.file)) return createCloudInit(making, key, drive);
  const request = newDiskRequest(drive);
  return request === null ? useExisting(making, key, drive) : createNew(making, key, { drive, request });
}

function createCloudInit(making: Making, key: string, drive: Drive): string {
  const { platform, vmid, node } = making;
  checkSingleCloudInit(making, key);
  const name = splitVolumeId(drive.file)?.storage ?? making.defaultStorage;
  if (name === undefined) throw failure("no storage ID specified (and no default storage)");
  const isFile = isFileStorage(storageNamed(platform.state, name));
  const format = drive.format ?? (isFile ? "qcow2" : "raw");
  const volume = allocate(
    platform,
    {
      storage: name,
      node,
      vmid,
      format,
      bytes: cloudInitBytes,
      name: `vm-${vmid}-cloudinit${isFile ? `.${format}` : ""}`,
    },
    making.log,
  );
  making.made.push(volume);
  return finished(making, key, { ...drive, file: volumeId(volume), media: "cdrom" });
}

function checkSingleCloudInit(making: Making, key: string): void {
  const { release } = making.platform;
  const other = cloudInitSlot(release, making.config, key) ?? cloudInitSlot(release, making.result, key);
  const unmade = other === null ? null : parseDrive(release, other, making.result[other] ?? making.config[other] ?? "");
  if (unmade !== null && !unmade.file.endsWith(":cloudinit"))
    throw failure(`${key} - cloud-init drive is already attached at '${other}'`);
}

function createNew(
  making: Making,
  key: string,
  wanted: { drive: Drive; request: { storage: string | undefined; gib: number } },
): string {
  const { platform, node, vmid } = making;
  const storage = wanted.request.storage ?? making.defaultStorage;
  if (storage === undefined) throw failure("no storage ID specified (and no default storage)");
  const { "import-from": source, format: wantedFormat, ...rest } = wanted.drive;
  const imported = source === undefined ? null : existingVolume(platform, source, node);
  const format = wantedFormat ?? defaultFormat(storageNamed(platform.state, storage));
  const bytes = imported?.size ?? fixedBytes(key) ?? Math.ceil(wanted.request.gib * 1024 ** 2) * 1024;
  const hasSystem = imported?.hasSystem ?? false;
  const volume = allocate(platform, { storage, node, vmid, format, bytes, hasSystem }, making.log);
  making.made.push(volume);
  if (imported !== null) volume.used = imported.used;
  if (making.config.template === "1") convertToBase(volume);
  return finished(making, key, { ...rest, file: volumeId(volume), size: formatSize(bytes) });
}

function fixedBytes(key: string): number | null {
  if (key === "efidisk0") return efiBytes;
  return key === "tpmstate0" ? tpmBytes : null;
}

function finished(making: Making, key: string, drive: Drive): string {
  const { format: _made, ...rest } = drive;
  const entry = printDrive(making.platform.release, key, { ...rest, file: drive.file });
  making.log(`${key}: successfully created disk '${entry}'`);
  return entry;
}

function useExisting(making: Making, key: string, drive: Drive): string {
  const { platform, node } = making;
  if (drive.file.startsWith("/")) return printDrive(platform.release, key, drive);
  if (isCloudInit(drive)) checkSingleCloudInit(making, key);
  const volume = findVolume(platform, drive.file, node);
  if (volume === null)
    throw failure(`volume ${atLeast(platform.release, "9.2") ? `'${drive.file}'` : drive.file} does not exist`);
  if (drive.format !== undefined && drive.format !== volume.format && atLeast(platform.release, "8.4"))
    throw failure(
      `drive '${key}' - volume '${drive.file}' - 'format=${drive.format}' option different from storage format '${volume.format}'`,
    );
  return printDrive(platform.release, key, { ...drive, size: formatSize(volume.size) });
}
