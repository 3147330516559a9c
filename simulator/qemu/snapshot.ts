// Says what can be snapshot of a VM.
import type { SnapshotHabits } from "../guests/snapshotTasks.js";
import type { Call } from "../route.js";
import type { Guest } from "../state/guest.js";
import { isFileStorage } from "../state/storage.js";
import { storageNamed } from "../storage/storages.js";
import { findVolume } from "../storage/volumes.js";
import { drivesOf, isCdrom } from "./drives.js";

export const vmSnapshots: SnapshotHabits = {
  type: "qemu",
  taskPrefix: "qm",
  reservedName: (name) => (name.toLowerCase() === "pending" ? "pending" : null),
  volumeLines: (call, guest) => {
    const disks = drivesOf(call.platform.release, guest.config).filter(
      ([, drive]) => !isCdrom(drive) && drive.file.includes(":"),
    );
    if (!disks.every(([, drive]) => canSnapshot(call, guest, drive.file))) return null;
    return disks.map(([key, drive]) => `snapshotting 'drive-${key}' (${drive.file})`);
  },
  keepsMemory: (call, guest) => call.parameters.flag("vmstate") && guest.runtime !== null,
};

/** Of files only qcow2 can be snapshot. */
function canSnapshot(call: Call, guest: Guest, file: string): boolean {
  const volume = findVolume(call.platform, file, guest.node);
  if (volume === null) return false;
  const storage = storageNamed(call.platform.state, volume.storage);
  return isFileStorage(storage) ? volume.format === "qcow2" : storage.type !== "lvm";
}
