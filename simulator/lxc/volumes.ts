// Makes and grows the volumes of containers, with the log lines of the file system tools.
import { randomUUID } from "node:crypto";
import { failure } from "../api.js";
import type { Platform } from "../platform.js";
import type { StorageDefinition, Volume } from "../state/storage.js";
import { isFileStorage } from "../state/storage.js";
import { volumePath } from "../storage/naming.js";
import { storageNamed } from "../storage/storages.js";
import { allocate } from "../storage/volumes.js";

/** A container volume to make. */
interface ContainerVolume {
  storage: string;
  node: string;
  vmid: number;
  bytes: number;
}

type Log = (line: string) => void;

/** Raw images get a file system; ZFS and size 0 make directories instead. */
export function allocateContainerVolume(platform: Platform, wanted: ContainerVolume, log: Log): Volume {
  const storage = storageNamed(platform.state, wanted.storage);
  if (!storage.content.includes("rootdir"))
    throw failure(`content type 'rootdir' is not available or configured on storage '${storage.name}'`);
  const format = volumeFormat(storage, wanted.bytes);
  const volume = allocate(platform, { ...wanted, format, hasSystem: true }, log);
  if (format === "raw") logFileSystem(wanted.bytes, log);
  return volume;
}

function volumeFormat(storage: StorageDefinition, bytes: number): "raw" | "subvol" {
  return storage.type === "zfspool" || (isFileStorage(storage) && bytes === 0) ? "subvol" : "raw";
}

/** mke2fs: volumes below 512 MiB get small blocks. */
function logFileSystem(bytes: number, log: Log): void {
  const small = bytes < 512 * 1024 ** 2;
  const blocks = bytes / (small ? 1024 : 4096);
  log(`Creating filesystem with ${blocks} ${small ? 1 : 4}k blocks and ${bytes / (small ? 4096 : 16_384)} inodes`);
  log(`Filesystem UUID: ${randomUUID()}`);
  const backups = superblockBackups(blocks, small ? 8192 : 32_768, small ? 1 : 0);
  if (backups.length === 0) return;
  log("Superblock backups stored on blocks: ");
  for (let start = 0; start < backups.length; start += 10) log(`\t${backups.slice(start, start + 10).join(", ")}`);
}

/** In group 1 and in groups that are powers of 3, 5 and 7. */
function superblockBackups(blocks: number, groupSize: number, firstBlock: number): number[] {
  const groups = new Set([1]);
  for (const base of [3, 5, 7]) for (let group = base; group * groupSize < blocks; group *= base) groups.add(group);
  return [...groups]
    .toSorted((a, b) => a - b)
    .map((group) => group * groupSize + firstBlock)
    .filter((block) => block < blocks);
}

/** What resizing an image and its file system prints; a mounted one is grown in place. */
export function logGrowth(platform: Platform, volume: Volume, before: number, running: boolean): string[] {
  const storage = storageNamed(platform.state, volume.storage);
  const path = volumePath(storage, volume.name);
  if (volume.format !== "raw") return [];
  const resized = isFileStorage(storage)
    ? ["Image resized."]
    : [`  Logical volume ${volume.name} successfully resized.`];
  const [oldBlocks, newBlocks] = [before / 4096, volume.size / 4096];
  const tool = "resize2fs 1.47.0 (5-Feb-2023)";
  const done = `The filesystem on ${path} is now ${newBlocks} (4k) blocks long.`;
  if (running)
    return [...resized, tool, `Filesystem at ${path} is mounted on /tmp; on-line resizing required`, done, ""];
  return [
    ...resized,
    "e2fsck 1.47.0 (5-Feb-2023)",
    "Pass 1: Checking inodes, blocks, and sizes",
    "Pass 2: Checking directory structure",
    "Pass 3: Checking directory connectivity",
    "Pass 4: Checking reference counts",
    "Pass 5: Checking group summary information",
    `${path}: 41/${before / 16_384} files (0.0% non-contiguous), ${Math.round(oldBlocks * 0.05)}/${oldBlocks} blocks`,
    tool,
    `Resizing the filesystem on ${path} to ${newBlocks} (4k) blocks.`,
    done,
    "",
  ];
}
