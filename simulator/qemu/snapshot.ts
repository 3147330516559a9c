// Makes, lists and removes snapshots of VMs.
import type { ApiAnswer } from "../api.js";
import { failure } from "../api.js";
import { checkLock } from "../guests/config.js";
import { addSnapshot, removeSnapshot } from "../guests/snapshots.js";
import { guestOf, guestOn, nodeOf } from "../guests/lookup.js";
import type { Call } from "../route.js";
import { answer, vmidOf } from "../route.js";
import type { Guest } from "../state/guest.js";
import { isTemplate } from "../state/guest.js";
import { isFileStorage } from "../state/storage.js";
import { storageNamed } from "../storage/storages.js";
import { findVolume } from "../storage/volumes.js";
import type { Worker } from "../tasks/worker.js";
import { drivesOf, isCdrom } from "./drives.js";

/** `POST …/snapshot` → UPID; a lock is noticed only in the task. */
export function createSnapshot(call: Call): ApiAnswer {
  const name = call.parameters.text("snapname");
  if (name === "current") throw failure("unable to use snapshot name 'current' (reserved name)");
  if (name.toLowerCase() === "pending") throw failure("unable to use snapshot name 'pending' (reserved name)");
  guestOf(call, "qemu");
  return launch(call, "qmsnapshot", (guest, task) => take(call, guest, task));
}

/** `DELETE …/snapshot/{snapname}` → UPID. */
export function deleteSnapshot(call: Call): ApiAnswer {
  return launch(call, "qmdelsnapshot", async (guest, task) => {
    checkLock(guest);
    removeSnapshot(guest, call.parameters.text("snapname"));
    await task.sleep(200);
  });
}

function launch(call: Call, type: string, act: (guest: Guest, task: Worker) => Promise<void>): ApiAnswer {
  const { platform, identity } = call;
  const target = { type: "qemu", vmid: vmidOf(call) } as const;
  return answer(
    platform.tasks.start({
      node: nodeOf(call),
      type,
      id: String(target.vmid),
      identity,
      expectedMs: 300,
      run: (task) =>
        platform.locks.hold(target, () => act(guestOn(platform.state, "qemu", target.vmid, nodeOf(call)), task)),
    }),
  );
}

async function take(call: Call, guest: Guest, task: Worker): Promise<void> {
  const { platform, parameters } = call;
  const name = parameters.text("snapname");
  if (isTemplate(guest)) throw failure("you can't take a snapshot if it's a template");
  checkLock(guest);
  if (guest.snapshots.has(name)) throw failure(`snapshot name '${name}' already used`);
  const disks = drivesOf(platform.release, guest.config).filter(
    ([, drive]) => !isCdrom(drive) && drive.file.includes(":"),
  );
  const unable = disks.some(([, drive]) => !canSnapshot(call, guest, drive.file));
  if (unable) throw failure("snapshot feature is not available");
  await task.sleep(200);
  for (const [key, drive] of disks) task.log(`snapshotting 'drive-${key}' (${drive.file})`);
  const description = parameters.optional("description") ?? "";
  addSnapshot(guest, {
    name,
    description,
    snaptime: platform.clock.seconds(),
    vmstate: parameters.flag("vmstate") && guest.runtime !== null,
  });
}

function canSnapshot(call: Call, guest: Guest, file: string): boolean {
  const volume = findVolume(call.platform, file, guest.node);
  if (volume === null) return false;
  const storage = storageNamed(call.platform.state, volume.storage);
  return isFileStorage(storage) ? volume.format === "qcow2" : storage.type !== "lvm";
}
