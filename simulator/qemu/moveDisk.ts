// Moves a disk of a VM to another storage or format.
import type { ApiAnswer } from "../api.js";
import { failure } from "../api.js";
import { checkDigest, checkLock } from "../guests/config.js";
import { answerWithTask } from "../guests/guestTask.js";
import { guestOf } from "../guests/lookup.js";
import { registerUnused } from "../guests/unusedVolumes.js";
import { renderBytes } from "../migration/figures.js";
import type { Call } from "../route.js";
import { isHeld } from "../snapshots/volumes.js";
import type { Guest } from "../state/guest.js";
import type { Volume } from "../state/storage.js";
import { isFileStorage, volumeId } from "../state/storage.js";
import { storageNamed } from "../storage/storages.js";
import { allocate, existingVolume, free } from "../storage/volumes.js";
import type { Worker } from "../tasks/worker.js";
import type { Drive } from "./drives.js";
import { isCdrom, parseDrive, printDrive } from "./drives.js";

/** A disk and where it goes. */
interface Move {
  key: string;
  drive: Drive;
  source: Volume;
  storage: string;
  format: string;
}

/** `POST …/move_disk` → UPID. */
export function moveDisk(call: Call): ApiAnswer {
  const { platform } = call;
  const guest = guestOf(call, "qemu");
  checkDigest(platform.release, guest, call.parameters.optional("digest"));
  const { source } = checkedMove(call, guest);
  return answerWithTask(call, {
    type: "qmmove",
    expectedMs: 500 + (source.used / platform.tasks.bytesPerSecond) * 1000,
    run: (task) => platform.locks.hold(guest, () => move(call, guestOf(call, "qemu"), task)),
  });
}

function checkedMove(call: Call, guest: Guest): Move {
  const { platform, parameters } = call;
  const key = parameters.text("disk");
  checkLock(guest);
  const entry = guest.config[key];
  if (entry === undefined) throw failure(`disk '${key}' does not exist`);
  const drive = parseDrive(platform.release, key, entry);
  if (isCdrom(drive)) throw failure("you can't move a cdrom");
  const source = existingVolume(platform, drive.file, guest.node);
  const storage = parameters.optional("storage") ?? source.storage;
  const target = storageNamed(platform.state, storage);
  const format = isFileStorage(target) ? (parameters.optional("format") ?? source.format) : "raw";
  if (storage === source.storage && format === source.format)
    throw failure("you can't move to the same storage with same format");
  platform.permissions.check(call.identity.label, `/storage/${storage}`, ["Datastore.AllocateSpace"]);
  return { key, drive, source, storage, format };
}

async function move(call: Call, guest: Guest, task: Worker): Promise<void> {
  const { platform, parameters } = call;
  const { key, drive, source, storage, format } = checkedMove(call, guest);
  const volid = volumeId(source);
  const held = isHeld(guest.snapshots, source);
  if (held && parameters.flag("delete")) throw failure("you can't move a disk with snapshots and delete the source");
  task.log(`copying volume '${volid}' from current storage '${source.storage}' to target storage '${storage}'`);
  if (held) task.log("moving disk with snapshots, snapshots will not be moved!");
  task.log(`create full clone of drive ${key} (${volid})`);
  const wanted = { storage, node: guest.node, vmid: guest.vmid, format, bytes: source.size };
  const made = allocate(platform, { ...wanted, hasSystem: source.hasSystem }, (line) => task.log(line));
  task.log(`allocated target volume '${volumeId(made)}'`);
  try {
    await copy(source, task);
  } catch (error) {
    if (!task.dead) free(platform, made, () => {});
    throw error;
  }
  made.used = source.used;
  guest.config[key] = printDrive(platform.release, key, { ...drive, file: volumeId(made) });
  if (parameters.flag("delete")) return free(platform, source, (line) => task.log(line));
  const slot = registerUnused(guest, volid);
  task.log(`adding source volume '${volid}' as '${slot}' to config`);
}

async function copy({ size }: Volume, task: Worker): Promise<void> {
  const progress = (done: number): void =>
    task.log(`transferred ${renderBytes(done)} of ${renderBytes(size)} (${((done * 100) / size).toFixed(2)}%)`);
  progress(0);
  await task.transfer(size, progress);
}
