// Checks the drives that a request wants to attach, before anything is made.
import { failure, parameterError } from "../api.js";
import type { Call } from "../route.js";
import { vmidOf } from "../route.js";
import { superuser } from "../state/access.js";
import type { ConfigValues } from "../state/guest.js";
import { splitVolumeId } from "../state/storage.js";
import { checkVolumeAccess } from "../storage/access.js";
import { requireVolumeName } from "../storage/naming.js";
import { storageNamed } from "../storage/storages.js";
import { atLeast } from "../version.js";
import type { Drive } from "./drives.js";
import { isCdrom, isDriveName, isUnusedName, newDiskRequest, parseDrive, printDrive } from "./drives.js";

/** `cdrom=x` is another name for `ide2=x,media=cdrom`. */
export function resolveCdromAlias(config: ConfigValues): ConfigValues {
  const { cdrom, ...rest } = config;
  if (cdrom === undefined) return config;
  return { ...rest, ide2: cdrom.includes("media=") ? cdrom : `${cdrom},media=cdrom` };
}

/** Drives in their stored form; refuses images without `media=cdrom` and paths that belong to no storage. */
export function normalizeDrives(call: Call, config: ConfigValues): ConfigValues {
  const normalized: ConfigValues = { ...config };
  for (const key of Object.keys(config).toSorted())
    if (isDriveName(key)) normalized[key] = normalizeDrive(call, key, config[key] ?? "");
  return normalized;
}

function normalizeDrive(call: Call, key: string, value: string): string {
  const { release, state } = call.platform;
  const drive = parseDrive(release, key, value);
  if (isCdrom(drive) && key.startsWith("virtio")) throw parameterError({ [key]: "unable to parse drive options" });
  if (drive["import-from"] !== undefined && newDiskRequest(drive)?.gib !== 0)
    throw parameterError({
      [key]: "'import-from' requires special syntax - use <storage ID>:0,import-from=<source>",
    });
  if (!isKnownForm(drive)) throw parameterError({ [key]: `unable to associate path '${drive.file}' to any storage` });
  if (drive.media === undefined && /^(?:cdrom|none)$/.test(drive.file)) drive.media = "cdrom";
  const parts = splitVolumeId(drive.file);
  if (parts !== null && newDiskRequest(drive) === null && parts.name !== "cloudinit") {
    const parsed = requireVolumeName(storageNamed(state, parts.storage), parts.name);
    if (parsed.content === "iso" && !isCdrom(drive) && atLeast(release, "8.4"))
      throw parameterError({ [key]: "explicit 'media=cdrom' is required for iso images" });
  }
  return printDrive(release, key, drive);
}

function isKnownForm(drive: Drive): boolean {
  return (
    /^(?:cdrom|none)$/.test(drive.file) ||
    /^\/dev\/.+/.test(drive.file) ||
    /^[^:]+:.+$/.test(drive.file) ||
    /^\d+$/.test(drive.file)
  );
}

/**
 * Checks that the caller may take space and use the volumes that the drives name.
 * @throws ApiError 400, 403 or 500
 */
export function checkStorageAccess(call: Call, config: ConfigValues, defaultStorage?: string): void {
  const { release, permissions } = call.platform;
  for (const key of Object.keys(config).toSorted()) {
    const value = config[key] ?? "";
    if (isDriveName(key)) checkDriveAccess(call, { key, drive: parseDrive(release, key, value), defaultStorage });
    else if (isUnusedName(key))
      checkVolumeAccess(call, { volid: value.split(",")[0] ?? "", vmid: vmidOf(call), content: "images" });
  }
  if (config.vmstatestorage !== undefined)
    permissions.check(call.identity.label, `/storage/${config.vmstatestorage}`, ["Datastore.AllocateSpace"]);
}

function checkDriveAccess(call: Call, wanted: { key: string; drive: Drive; defaultStorage: string | undefined }): void {
  const { permissions, state } = call.platform;
  const { key, drive } = wanted;
  const request = newDiskRequest(drive);
  if (/^(?:none|cloudinit)$|:cloudinit$/.test(drive.file)) return;
  if (isCdrom(drive) && drive.file === "cdrom") return permissions.check(call.identity.label, "/", ["Sys.Console"]);
  if (request !== null && !isCdrom(drive)) {
    const name = request.storage ?? wanted.defaultStorage;
    if (name === undefined) throw failure("no storage ID specified (and no default storage)");
    permissions.check(call.identity.label, `/storage/${name}`, ["Datastore.AllocateSpace"]);
    if (!storageNamed(state, name).content.includes("images"))
      throw parameterError({ storage: `storage '${name}' does not support vm images` });
    return;
  }
  checkVolumeAccess(call, { volid: drive.file, vmid: vmidOf(call) });
  const parts = splitVolumeId(drive.file);
  const parsed = parts === null ? null : requireVolumeName(storageNamed(state, parts.storage), parts.name);
  if (parsed !== null && parsed.content !== "images" && parsed.content !== "iso")
    throw parameterError({ [key]: "content type needs to be 'images' or 'iso'" });
}

/** Right to change a drive: cloud-init drives, CD-ROMs and disks differ. @throws ApiError 403 */
export function checkDrivePermission(call: Call, key: string, value: string): void {
  const { permissions, release } = call.platform;
  if (call.identity.label === superuser) return;
  const drive = parseDrive(release, key, value);
  const target = { vmid: vmidOf(call) };
  if (/[:/](?:vm-\d+-)?cloudinit/.test(drive.file))
    permissions.checkGuest(call.identity.label, target, ["VM.Config.Cloudinit", "VM.Config.CDROM"]);
  else permissions.checkGuest(call.identity.label, target, [isCdrom(drive) ? "VM.Config.CDROM" : "VM.Config.Disk"]);
}
