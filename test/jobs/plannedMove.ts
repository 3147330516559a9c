// A move as its job stores it, for tests that make its rows themselves: guest 1 from host 1 to host 2.
import type { FrozenMigration } from "../../src/job/migrationInput.js";

const END = { hostId: 1, nodeId: 1, node: "pve1", vmid: 100 };

export const MOVE: FrozenMigration = {
  migrationId: 1,
  guestId: 1,
  type: "qemu",
  name: "web1",
  source: END,
  target: { ...END, hostId: 2, nodeId: 2, node: "pve2" },
  vmidAsked: false,
  mode: "restart",
  bytesTotal: 4096,
  expectedSeconds: null,
  storages: [],
  bridges: [],
  room: { memoryMb: 512, storages: [] },
  ipPlan: { kind: "keep", currentAddress: null, newAddress: null, zoneId: null, explanation: "has none" },
  dropPortForwards: false,
  portForwards: [],
  bandwidthMib: null,
};
