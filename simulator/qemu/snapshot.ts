// Says what is snapshot of a VM.
import type { SnapshotHabits } from "../snapshots/habits.js";
import { drivesOf, isCdrom } from "./drives.js";
import { launchStart } from "./start.js";

export const vmSnapshots: SnapshotHabits = {
  type: "qemu",
  taskPrefix: "qm",
  reservedName: (name) => (name.toLowerCase() === "pending" ? "pending" : null),
  description: (text) => text,
  volumes: ({ release }, config) =>
    drivesOf(release, config)
      .filter(([, drive]) => !isCdrom(drive) && drive.file.includes(":"))
      .map(([key, drive]) => ({ key, volid: drive.file })),
  says: ({ key, volid }) => `snapshotting 'drive-${key}' (${volid})`,
  keepsMemory: (call, guest) => call.parameters.flag("vmstate") && guest.runtime !== null,
  start: (call, { node, vmid }) => launchStart(call.platform, { node, vmid, identity: call.identity }),
};
