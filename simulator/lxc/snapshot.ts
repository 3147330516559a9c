// Says what can be snapshot of a container.
import type { SnapshotHabits } from "../guests/snapshotTasks.js";
import type { Call } from "../route.js";
import type { Guest } from "../state/guest.js";
import { isFileStorage } from "../state/storage.js";
import { storageNamed } from "../storage/storages.js";
import { findVolume } from "../storage/volumes.js";
import { mountPointsOf } from "./mountPoints.js";

export const containerSnapshots: SnapshotHabits = {
  type: "lxc",
  taskPrefix: "vz",
  reservedName: (name) => (name === "vzdump" ? name : null),
  volumeLines: (call, guest) => {
    const mountPoints = mountPointsOf(call.platform.release, guest.config);
    return mountPoints.every(([, { volume }]) => canSnapshot(call, guest, volume)) ? [] : null;
  },
  keepsMemory: () => false,
};

/** Raw files cannot be snapshot; thin volumes and ZFS can. */
function canSnapshot(call: Call, guest: Guest, file: string): boolean {
  const volume = findVolume(call.platform, file, guest.node);
  if (volume === null) return false;
  const storage = storageNamed(call.platform.state, volume.storage);
  return !isFileStorage(storage) && storage.type !== "lvm";
}
