// Suspends a VM to disk: its state becomes a volume and the VM stays locked until it is started again.
import { failure } from "../api.js";
import { checkLock } from "../guests/config.js";
import { guestOn, nodeOf } from "../guests/lookup.js";
import type { Call } from "../route.js";
import { vmidOf } from "../route.js";
import { volumeId } from "../state/storage.js";
import { allocate } from "../storage/volumes.js";
import type { Worker } from "../tasks/worker.js";
import { drivesOf } from "./drives.js";
import { memoryBytes } from "./sizing.js";

/** Checks the rights for the state volume and returns the task's work. */
export function saveState(call: Call): (task: Worker) => Promise<void> {
  const { platform, parameters, identity } = call;
  const guest = guestOn(platform.state, "qemu", vmidOf(call), nodeOf(call));
  platform.permissions.check(identity.label, `/vms/${guest.vmid}`, ["VM.Config.Disk"]);
  if (Object.keys(guest.config).some((key) => /^hostpci\d+$/.test(key)))
    throw failure(
      "cannot suspend VM to disk due to passed-through PCI device(s), which lack the possibility to save/restore their internal state",
    );
  const firstDisk = drivesOf(platform.release, guest.config).find(([, drive]) => drive.file.includes(":"))?.[1].file;
  const storage =
    parameters.optional("statestorage") ?? guest.config.vmstatestorage ?? firstDisk?.split(":")[0] ?? "local";
  platform.permissions.check(identity.label, `/storage/${storage}`, ["Datastore.AllocateSpace"]);
  return async (task) => {
    await platform.locks.hold(guest, () => {
      checkLock(guest);
      const bytes = memoryBytes(guest.config) * 2 + 500 * 1024 ** 2;
      const volume = allocate(platform, { storage, node: guest.node, vmid: guest.vmid, format: "raw", bytes }, (line) =>
        task.log(line),
      );
      guest.config.lock = "suspending";
      guest.config.vmstate = volumeId(volume);
    });
    await task.sleep(2500);
    task.log("State saved, quitting");
    guest.runtime = null;
    guest.config.lock = "suspended";
  };
}
