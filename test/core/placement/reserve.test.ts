// Checks what a reserved place leaves for the guests that are placed after it.
import assert from "node:assert/strict";
import { reservePlace } from "../../../src/core/placement/reserve.js";
import { GIB } from "../../../src/core/units.js";
import { host, node, request, snapshot, storage } from "./example.js";

const nodeWith = (name: string, hostId = 1) =>
  node({
    name,
    host: host({ id: hostId }),
    memoryReservedMb: 0,
    storages: [storage({ name: "local" }), storage({ name: "ceph", shared: true })],
  });

describe("core/placement/reserve", () => {
  const fleet = snapshot(nodeWith("a"), nodeWith("b"), nodeWith("a", 2));

  const reservedOn = (name: string) => {
    const place = { hostId: 1, node: "a", storage: name };
    const { nodes } = reservePlace(fleet, place, request({ memoryMb: 512, diskGb: 3 }));
    return nodes.map(({ memoryReservedMb, storages }) => [
      memoryReservedMb,
      ...storages.map(({ reservedBytes }) => reservedBytes / GIB),
    ]);
  };

  it("counts a disk on its node alone where storages merely share a name", () => {
    assert.deepEqual(reservedOn("local"), [
      [512, 3, 0],
      [0, 0, 0],
      [0, 0, 0],
    ]);
  });

  it("counts a disk on every node of the host where its storage is shared", () => {
    assert.deepEqual(reservedOn("ceph"), [
      [512, 0, 3],
      [0, 0, 3],
      [0, 0, 0],
    ]);
  });
});
