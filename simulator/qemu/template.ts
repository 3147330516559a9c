// Turns a VM into a template: its disks become base volumes that linked clones stand on.
import type { ApiAnswer } from "../api.js";
import { failure } from "../api.js";
import { checkLock } from "../guests/config.js";
import { answerWithTask } from "../guests/guestTask.js";
import { guestOf } from "../guests/lookup.js";
import type { Call } from "../route.js";
import { vmidOf } from "../route.js";
import type { Guest } from "../state/guest.js";
import { isTemplate } from "../state/guest.js";
import { volumeId } from "../state/storage.js";
import { convertToBase, findVolume } from "../storage/volumes.js";
import { drivesOf, isCdrom, printDrive } from "./drives.js";
import { requireWritable } from "../state/quorum.js";

/** `POST …/template` → UPID. */
export function makeTemplate(call: Call): ApiAnswer {
  const { platform } = call;
  checkConvertible(call);
  return answerWithTask(call, {
    type: "qmtemplate",
    expectedMs: 300,
    run: (task) =>
      platform.locks.hold({ type: "qemu", vmid: vmidOf(call) }, async () => {
        const guest = checkConvertible(call);
        requireWritable(platform.state, guest);
        await task.sleep(200);
        guest.config.template = "1";
        convertDisks(call, guest);
      }),
  });
}

function checkConvertible(call: Call): Guest {
  const guest = guestOf(call, "qemu");
  checkLock(guest);
  if (guest.snapshots.size > 0) throw failure("unable to create template, because VM contains snapshots");
  if (isTemplate(guest) && !call.parameters.has("disk")) throw failure("you can't convert a template to a template");
  if (guest.runtime !== null) throw failure("you can't convert a VM to template if VM is running");
  return guest;
}

function convertDisks(call: Call, guest: Guest): void {
  const { platform, parameters } = call;
  const only = parameters.optional("disk");
  for (const [key, drive] of drivesOf(platform.release, guest.config)) {
    if (isCdrom(drive) || (only !== undefined && key !== only)) continue;
    const volume = findVolume(platform, drive.file, guest.node);
    if (volume === null) throw failure(`volume '${drive.file}' does not exist`);
    convertToBase(volume);
    guest.config[key] = printDrive(platform.release, key, { ...drive, file: volumeId(volume) });
  }
}
