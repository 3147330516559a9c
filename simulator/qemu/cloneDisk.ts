// Copies or links one disk for a clone, with the log lines of the copy.
import { failure } from "../api.js";
import { formatSize } from "../parameters/sizes.js";
import type { Platform } from "../platform.js";
import type { Guest } from "../state/guest.js";
import type { Volume } from "../state/storage.js";
import { isFileStorage, volumeId } from "../state/storage.js";
import { spaceOf, storageNamed } from "../storage/storages.js";
import { allocate, existingVolume, linkedClone } from "../storage/volumes.js";
import type { Worker } from "../tasks/worker.js";
import { atLeast } from "../version.js";
import type { Drive } from "./drives.js";
import { isCloudInit } from "./drives.js";
import { cloudInitBytes } from "./createDisks.js";

/** One disk of a clone. */
interface DiskClone {
  platform: Platform;
  task: Worker;
  /** Volumes made so far; they are freed when the clone fails. */
  made: Volume[];
  key: string;
  drive: Drive;
  source: Guest;
  vmid: number;
  full: boolean;
  storage: string | undefined;
  format: string | undefined;
}

/** @returns the drive entry of the clone */
export async function cloneDisk(job: DiskClone): Promise<Drive> {
  const original = existingVolume(job.platform, job.drive.file, job.source.node);
  const volume = job.full ? await fullClone(job, original) : linkedCloneOf(job, original);
  const { format: _dropped, ...kept } = job.drive;
  return { ...kept, file: volumeId(volume), size: formatSize(volume.size) };
}

function linkedCloneOf(job: DiskClone, original: Volume): Volume {
  job.task.log(`create linked clone of drive ${job.key} (${job.drive.file})`);
  const volume = linkedClone(job.platform, original, { vmid: job.vmid, node: job.source.node }, (line) =>
    job.task.log(line),
  );
  job.made.push(volume);
  return volume;
}

async function fullClone(job: DiskClone, original: Volume): Promise<Volume> {
  const { task, platform } = job;
  task.log(`create full clone of drive ${job.key} (${job.drive.file})`);
  const volume = allocateTarget(job, original);
  job.made.push(volume);
  if (atLeast(platform.release, "9.2")) task.log(`allocated target volume '${volumeId(volume)}'`);
  if (isCloudInit(job.drive)) return volume;
  checkRoom(job, volume, original);
  await copyData(task, original);
  volume.used = Math.max(volume.used, original.used);
  volume.ctime = platform.clock.seconds();
  return volume;
}

/** Holes cost no time, so progress runs over the size at the pace of what is really there. */
async function copyData(task: Worker, original: Volume): Promise<void> {
  const { size, used } = original;
  task.log(transferLine(0, size));
  await task.transfer(used, (done) => {
    if (done < used) task.log(transferLine((done / used) * size, size));
  });
  task.log(transferLine(size, size));
}

function allocateTarget(job: DiskClone, original: Volume): Volume {
  const { platform, vmid, source } = job;
  const storage = storageNamed(platform.state, job.storage ?? original.storage);
  const format = isFileStorage(storage) ? (job.format ?? original.format) : "raw";
  const image = isCloudInit(job.drive)
    ? { bytes: cloudInitBytes, format: isFileStorage(storage) ? (job.format ?? "qcow2") : "raw" }
    : { bytes: original.size, format };
  const name = isCloudInit(job.drive)
    ? { name: `vm-${vmid}-cloudinit${isFileStorage(storage) ? `.${image.format}` : ""}` }
    : {};
  return allocate(
    platform,
    { storage: storage.name, node: source.node, vmid, ...image, ...name, hasSystem: original.hasSystem },
    (line) => job.task.log(line),
  );
}

function checkRoom(job: DiskClone, volume: Volume, original: Volume): void {
  const storage = storageNamed(job.platform.state, volume.storage);
  if (spaceOf(job.platform.state, storage, job.source.node).avail + volume.used >= original.used) return;
  throw failure(`copy failed: qemu-img: error while writing at byte 0: No space left on device`);
}

function transferLine(done: number, total: number): string {
  const percent = total === 0 ? 100 : (done / total) * 100;
  return `transferred ${humanBytes(done)} of ${humanBytes(total)} (${percent.toFixed(2)}%)`;
}

/** `1.0 GiB` */
function humanBytes(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value.toFixed(1)} ${units[unit]}`;
}
