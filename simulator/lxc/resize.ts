// Grows a container's volume; a smaller or equal size is refused at once.
import type { ApiAnswer } from "../api.js";
import { failure } from "../api.js";
import { checkLock } from "../guests/config.js";
import { digestOf } from "../guests/digest.js";
import { answerWithTask } from "../guests/guestTask.js";
import { guestOf } from "../guests/lookup.js";
import { formatSize } from "../parameters/sizes.js";
import { newSize } from "../qemu/resize.js";
import type { Call } from "../route.js";
import { vmidOf } from "../route.js";
import type { Guest } from "../state/guest.js";
import type { Volume } from "../state/storage.js";
import { splitVolumeId } from "../state/storage.js";
import { existingVolume } from "../storage/volumes.js";
import type { Worker } from "../tasks/worker.js";
import type { MountPoint } from "./mountPoints.js";
import { parseMountPoint, printMountPoint } from "./mountPoints.js";
import { logGrowth } from "./volumes.js";
import { requireWritable } from "../state/quorum.js";

interface Growth {
  guest: Guest;
  disk: string;
  mountPoint: MountPoint;
  volume: Volume;
  bytes: number;
}

/** `PUT …/resize` → UPID. */
export function resizeContainer(call: Call): ApiAnswer {
  checkedGrowth(call);
  const { platform } = call;
  return answerWithTask(call, {
    type: "resize",
    expectedMs: 900,
    run: (task) => platform.locks.hold({ type: "lxc", vmid: vmidOf(call) }, () => grow(call, task)),
  });
}

function checkedGrowth(call: Call): Growth {
  const { platform, parameters, identity } = call;
  const guest = guestOf(call, "lxc");
  const disk = parameters.text("disk");
  checkLock(guest);
  platform.permissions.checkGuest(identity.label, { vmid: guest.vmid }, ["VM.Config.Disk"]);
  const digest = parameters.optional("digest");
  if (digest !== undefined && digest !== digestOf(guest))
    throw failure("detected modified configuration - file changed by other user? Try again.");
  const entry = guest.config[disk];
  if (entry === undefined) throw failure("unable to parse volume ID ''");
  const mountPoint = parseMountPoint(platform.release, disk, entry);
  const storage = splitVolumeId(mountPoint.volume)?.storage ?? "";
  platform.permissions.check(identity.label, `/storage/${storage}`, ["Datastore.AllocateSpace"]);
  const volume = existingVolume(platform, mountPoint.volume, guest.node);
  const bytes = newSize(parameters.text("size"), volume.size);
  if (bytes < volume.size) throw failure("unable to shrink disk size");
  if (bytes === volume.size) throw failure("disk is already at specified size");
  return { guest, disk, mountPoint, volume, bytes };
}

async function grow(call: Call, task: Worker): Promise<void> {
  const { platform } = call;
  const { guest, disk, mountPoint, volume, bytes } = checkedGrowth(call);
  requireWritable(platform.state, guest);
  await task.sleep(700);
  const before = volume.size;
  volume.size = bytes;
  guest.config[disk] = printMountPoint(platform.release, disk, { ...mountPoint, size: formatSize(bytes) });
  for (const line of logGrowth(platform, volume, before, guest.runtime !== null)) task.log(line);
}
