// Says what is snapshot of a container.
import type { SnapshotHabits } from "../snapshots/habits.js";
import { mountPointsOf } from "./mountPoints.js";
import { launchContainerStart } from "./start.js";

export const containerSnapshots: SnapshotHabits = {
  type: "lxc",
  taskPrefix: "vz",
  reservedName: (name) => (name === "vzdump" ? name : null),
  // A file's comment ends with its line.
  description: (text) => (text === "" || text.endsWith("\n") ? text : `${text}\n`),
  volumes: ({ release }, config) => mountPointsOf(release, config).map(([key, { volume }]) => ({ key, volid: volume })),
  says: () => null,
  keepsMemory: () => false,
  start: (call, { node, vmid }) => launchContainerStart(call.platform, { node, vmid, identity: call.identity }),
};
