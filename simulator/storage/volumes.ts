// Allocates, finds, frees and converts volumes, writing the log lines of the programs that do it.
import { failure } from "../api.js";
import type { Platform } from "../platform.js";
import type { StorageDefinition, Volume } from "../state/storage.js";
import { isFileStorage, splitVolumeId } from "../state/storage.js";
import { atLeast } from "../version.js";
import { baseName, imageName, linkedName, nextDiskName, parseVolumeName, volumePath } from "./naming.js";
import { enabledStorage, spaceOf, storageNamed, volumesOn } from "./storages.js";

/** A volume to make. */
interface Allocation {
  storage: string;
  node: string;
  vmid: number;
  format: string;
  bytes: number;
  /** Left out: the next free disk name. */
  name?: string;
  hasSystem?: boolean;
}

type Log = (line: string) => void;

const metadataBytes = 331_776;

/** The format a storage takes when none is asked for. */
export function defaultFormat(storage: StorageDefinition): string {
  return storage.type === "zfspool" && storage.content.includes("rootdir") && !storage.content.includes("images")
    ? "subvol"
    : "raw";
}

/** @throws ApiError 500 when the format or the space is not there */
export function allocate(platform: Platform, wanted: Allocation, log: Log): Volume {
  const storage = enabledStorage(platform.state, wanted.storage, wanted.node);
  checkFormat(storage, wanted.format);
  checkRoom(platform, storage, wanted);
  const taken = volumesOn(platform.state, storage, wanted.node).map((volume) => volume.name);
  const name = wanted.name ?? nextDiskName({ storage, vmid: wanted.vmid, format: wanted.format, taken });
  const fullName = imageName(storage, wanted.vmid, name);
  if (taken.includes(fullName)) throw failure(`disk image '${volumePath(storage, fullName)}' already exists`);
  const volume: Volume = {
    storage: storage.name,
    node: storage.shared ? null : wanted.node,
    name: fullName,
    content: "images",
    format: wanted.format,
    size: wanted.bytes,
    used: isThin(storage, wanted.format) ? Math.min(metadataBytes, wanted.bytes) : wanted.bytes,
    vmid: wanted.vmid,
    parent: null,
    ctime: platform.clock.seconds(),
    hasSystem: wanted.hasSystem ?? false,
  };
  platform.state.volumes.push(volume);
  logAllocation(storage, volume, log);
  return volume;
}

function checkFormat(storage: StorageDefinition, format: string): void {
  const supported = isFileStorage(storage) ? ["raw", "qcow2", "vmdk", "subvol"] : ["raw", "subvol"];
  if (!supported.includes(format)) throw failure(`unsupported format '${format}'`);
}

function checkRoom(platform: Platform, storage: StorageDefinition, wanted: Allocation): void {
  if (isThin(storage, wanted.format)) return;
  if (spaceOf(platform.state, storage, wanted.node).avail >= wanted.bytes) return;
  if (storage.type === "lvm") {
    const extents = Math.ceil(wanted.bytes / (4 * 1024 ** 2));
    const left = Math.floor(spaceOf(platform.state, storage, wanted.node).avail / (4 * 1024 ** 2));
    throw failure(
      `lvcreate '${storage.path}/vm-${wanted.vmid}-disk-0' error:   Volume group "${storage.path}" has insufficient free space (${left} extents): ${extents} required.`,
    );
  }
  throw failure(`zfs error: cannot create '${storage.path}/vm-${wanted.vmid}-disk-0': out of space`);
}

/** Thin storages promise more than they have; the others take the whole size at once. */
function isThin(storage: StorageDefinition, format: string): boolean {
  return format === "subvol" || !(storage.type === "lvm" || storage.type === "zfspool");
}

function logAllocation(storage: StorageDefinition, volume: Volume, log: Log): void {
  if (volume.format === "subvol") return;
  const path = volumePath(storage, volume.name);
  if (isFileStorage(storage)) log(`Formatting '${path}', ${formatOptions(volume.format, volume.size)}`);
  else if (storage.type !== "zfspool" && storage.type !== "rbd") log(`  Logical volume "${volume.name}" created.`);
}

/** A base file that a new image stands on; releases from 9 on then use sub-clusters. */
interface Backing {
  file: string;
  subClusters: boolean;
}

function formatOptions(format: string, bytes: number, backing?: Backing): string {
  if (format === "raw") return `fmt=raw size=${bytes} preallocation=off`;
  if (format === "vmdk") return `fmt=vmdk size=${bytes} compat6=off hwversion=undefined subformat=monolithicSparse`;
  const cluster = backing?.subClusters ? "cluster_size=131072 extended_l2=on" : "cluster_size=65536 extended_l2=off";
  const base = backing === undefined ? "" : ` backing_file=${backing.file} backing_fmt=qcow2`;
  return `fmt=qcow2 ${cluster} preallocation=metadata compression_type=zlib size=${bytes}${base} lazy_refcounts=off refcount_bits=16`;
}

/** Null when no such volume can be reached from the node. */
export function findVolume(platform: Platform, volid: string, node: string): Volume | null {
  const parts = splitVolumeId(volid);
  const storage = parts === null ? undefined : platform.state.storages.get(parts.storage);
  if (parts === null || storage === undefined) return null;
  return volumesOn(platform.state, storage, node).find((volume) => volume.name === parts.name) ?? null;
}

/** @throws ApiError 500 when there is no such volume */
export function existingVolume(platform: Platform, volid: string, node: string): Volume {
  const volume = findVolume(platform, volid, node);
  if (volume === null) throw failure(`volume ${volid} does not exist`);
  return volume;
}

/** Removes a volume; a base volume that clones still use is refused. */
export function free(platform: Platform, volume: Volume, log: Log): void {
  if (isUsedBase(platform, volume)) throw failure(`base volume '${volume.name}' is still in use by linked clones`);
  const { state } = platform;
  state.volumes = state.volumes.filter((other) => other !== volume);
  const storage = storageNamed(state, volume.storage);
  if (storage.type === "lvm" || storage.type === "lvmthin")
    log(`  Logical volume "${volume.name}" successfully removed.`);
}

export function isUsedBase(platform: Platform, volume: Volume): boolean {
  return platform.state.volumes.some((other) => other.storage === volume.storage && other.parent === volume.name);
}

/** Turns a disk into a base volume, which linked clones can stand on. */
export function convertToBase(volume: Volume): void {
  volume.name = baseName(volume.name);
}

/** True where a base volume can carry linked clones. */
export function supportsLinkedClone(platform: Platform, volume: Volume): boolean {
  const storage = storageNamed(platform.state, volume.storage);
  const isBase = parseVolumeName(storage, volume.name)?.isBase === true;
  if (isFileStorage(storage))
    return isBase && volume.format !== "vmdk" && (volume.format !== "raw" || storage.type === "btrfs");
  return isBase && storage.type !== "lvm";
}

/** Makes a volume that stands on a base volume. */
export function linkedClone(
  platform: Platform,
  base: Volume,
  target: { vmid: number; node: string },
  log: Log,
): Volume {
  const storage = storageNamed(platform.state, base.storage);
  const taken = volumesOn(platform.state, storage, target.node).map((volume) => volume.name);
  const own = nextDiskName({ storage, vmid: target.vmid, format: base.format, taken });
  const volume: Volume = {
    ...base,
    name: linkedName(storage, base.name, imageName(storage, target.vmid, own)),
    vmid: target.vmid,
    parent: base.name,
    used: metadataBytes,
    ctime: platform.clock.seconds(),
  };
  platform.state.volumes.push(volume);
  logLinkedClone({ storage, base, volume, own, subClusters: atLeast(platform.release, "9.2") }, log);
  return volume;
}

function logLinkedClone(
  made: { storage: StorageDefinition; base: Volume; volume: Volume; own: string; subClusters: boolean },
  log: Log,
): void {
  const { storage, base, volume, own, subClusters } = made;
  if (!isFileStorage(storage)) {
    if (storage.type === "lvmthin") log(`  Logical volume "${own}" created.`);
    return;
  }
  const file = `../${base.name}`;
  const path = volumePath(storage, `${volume.vmid}/${own}`);
  log(`clone ${base.name}: images, ${own}, ${volume.vmid} to ${own} (base=${file})`);
  log(`Formatting '${path}', ${formatOptions(volume.format, volume.size, { file, subClusters })}`);
}
