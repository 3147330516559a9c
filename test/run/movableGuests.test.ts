// What balancing and evacuation make of a guest on record: where its disks lie, and what it uses.
import assert from "node:assert/strict";
import { GuestStatus } from "../../src/core/enums.js";
import { GIB } from "../../src/core/units.js";
import { knownGuest, type MovableGuestRow } from "../../src/run/movableGuests.js";

const ROW: MovableGuestRow = {
  id: 1,
  hostId: 1,
  node: "pve1",
  vmid: 100,
  name: "web",
  type: "qemu",
  status: GuestStatus.RUNNING,
  cores: 4,
  memoryMb: 2_048,
  diskBytes: 10 * GIB,
  unsizedDisks: [],
  storages: ["fast"],
  memoryUsedMb: 1_024,
  cpuUsage: 0.5,
  template: false,
  safetyCopy: false,
  lock: null,
  panelAddresses: 0,
  busyWith: null,
  architecture: null,
  version: null,
  qemuServer: null,
  pveContainer: null,
};

const storageOf = (storages: readonly string[]): string | null => knownGuest({ ...ROW, storages }).storage;

/** MiB of RAM, and cores. */
function uses(status: GuestStatus): readonly number[] {
  const { memoryUsedMb, coresUsed } = knownGuest({ ...ROW, status });
  return [memoryUsedMb, coresUsed];
}

describe("run/movableGuests", () => {
  it("names the storage of a guest whose disks lie on one", () => {
    assert.equal(storageOf(["fast"]), "fast");
    assert.equal(storageOf(["fast", "slow"]), null);
    assert.equal(storageOf([]), null);
  });

  it("counts what a guest uses while it runs or is paused, and nothing of one that is stopped", () => {
    assert.deepEqual(uses(GuestStatus.RUNNING), [1_024, 2]);
    assert.deepEqual(uses(GuestStatus.PAUSED), [1_024, 2]);
    assert.deepEqual(uses(GuestStatus.STOPPED), [0, 0]);
  });
});
