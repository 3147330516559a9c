// Grows a VM's disk: in the call itself on 7.x, in a task on later releases.
import type { ApiAnswer } from "../api.js";
import { failure, parameterError } from "../api.js";
import { checkDigest, checkLock } from "../guests/config.js";
import { answerWithTask } from "../guests/guestTask.js";
import { guestOn, nodeOf } from "../guests/lookup.js";
import { formatSize, parseSize } from "../parameters/sizes.js";
import type { Call } from "../route.js";
import { answer, vmidOf } from "../route.js";
import { superuser } from "../state/access.js";
import { isFileStorage, splitVolumeId } from "../state/storage.js";
import { storageNamed } from "../storage/storages.js";
import { existingVolume } from "../storage/volumes.js";
import { atLeast } from "../version.js";
import { isCdrom, parseDrive, printDrive } from "./drives.js";
import { requireWritable } from "../state/quorum.js";

/** `PUT …/resize` → null before 8.0, else UPID. */
export async function resizeVm(call: Call): Promise<ApiAnswer> {
  const { platform, parameters, identity } = call;
  if (parameters.flag("skiplock") && identity.label !== superuser)
    throw parameterError({ skiplock: "Only root may use this option." });
  const guest = { type: "qemu", vmid: vmidOf(call) } as const;
  if (!atLeast(platform.release, "8.4")) {
    await platform.locks.hold(guest, () => resize(call, () => {}));
    return answer(null);
  }
  return answerWithTask(call, {
    type: "resize",
    expectedMs: 200,
    run: (task) =>
      platform.locks.hold(guest, async () => {
        await task.sleep(150);
        resize(call, (line) => task.log(line));
      }),
  });
}

function resize(call: Call, log: (line: string) => void): void {
  const { platform, parameters, identity } = call;
  const guest = guestOn(platform.state, "qemu", vmidOf(call), nodeOf(call));
  const disk = parameters.text("disk");
  checkDigest(platform.release, guest, parameters.optional("digest"));
  if (!parameters.flag("skiplock")) checkLock(guest);
  const entry = guest.config[disk];
  if (entry === undefined) throw failure(`disk '${disk}' does not exist`);
  const drive = parseDrive(platform.release, disk, entry);
  const modern = atLeast(platform.release, "8.4");
  if (!modern && guest.snapshots.size > 0 && drive.file.endsWith(".qcow2"))
    throw failure(`can't resize volume: ${disk} if snapshot exists`);
  if (isCdrom(drive)) throw failure("you can't resize a cdrom");
  const storage = storageNamed(platform.state, splitVolumeId(drive.file)?.storage ?? "");
  platform.permissions.check(identity.label, `/storage/${storage.name}`, ["Datastore.AllocateSpace"]);
  const volume = existingVolume(platform, drive.file, guest.node);
  const bytes = newSize(parameters.text("size"), volume.size);
  if (bytes < volume.size) throw failure("shrinking disks is not supported");
  if (bytes === volume.size) return;
  requireWritable(platform.state, guest);
  volume.size = bytes;
  if (isFileStorage(storage) && guest.runtime === null) log("Image resized.");
  guest.config[disk] = printDrive(platform.release, disk, { ...drive, size: formatSize(bytes) });
}

/** `+5G` adds, `20G` sets. */
export function newSize(text: string, present: number): number {
  const grows = text.startsWith("+");
  const bytes = parseSize(grows ? text.slice(1) : text) ?? 0;
  return grows ? present + bytes : bytes;
}
