// Checks what a node is like once a guest has left it or arrived, at its limits too.
import assert from "node:assert/strict";
import {
  cpuShare,
  loadWithGuest,
  loadWithReservations,
  withGuest,
  withoutGuest,
} from "../../../src/core/balance/guestLoad.js";
import { GIB } from "../../../src/core/units.js";
import { node, storage } from "../placement/example.js";
import { guest } from "./example.js";

const target = storage({ name: "tank" });
const before = node({ storages: [storage(), target] });

describe("core/balance/guestLoad", () => {
  it("takes a guest off a node, and leaves its disk there", () => {
    const after = withoutGuest(before, guest());
    assert.deepEqual(after, { ...before, memoryUsedMb: 8_192, cpuAverage: 0.25 - 1 / 16, guestCount: 9 });
  });

  it("takes no more off a node than it has", () => {
    const idle = node({ memoryUsedMb: 1, cpuAverage: 0.01, guestCount: 0 });
    const { memoryUsedMb, cpuAverage, guestCount } = withoutGuest(idle, guest());
    assert.deepEqual([memoryUsedMb, cpuAverage, guestCount], [0, 0, 0]);
  });

  it("adds a guest to a node, and its disk to the storage that it goes to", () => {
    assert.deepEqual(withGuest(before, guest(), target), {
      ...before,
      memoryUsedMb: 24_576,
      cpuAverage: 0.25 + 1 / 16,
      guestCount: 11,
      storages: [storage(), { ...target, freeBytes: 580 * GIB }],
    });
  });

  it("leaves CPU that is not known unknown", () => {
    const unknown = { ...before, cpuAverage: null };
    assert.equal(withoutGuest(unknown, guest()).cpuAverage, null);
    assert.equal(withGuest(unknown, guest(), target).cpuAverage, null);
    assert.equal(loadWithGuest(unknown, guest()).cpu, null);
  });

  it("counts what is reserved on the node", () => {
    const reserved = node({ memoryReservedMb: 8_192 });
    assert.deepEqual(loadWithReservations(reserved), { ram: 0.375, cpu: 0.25 });
    assert.deepEqual(loadWithGuest(reserved, guest()), { ram: 0.5, cpu: 0.3125 });
  });

  it("has no share of a node without cores", () => {
    assert.equal(cpuShare({ cores: 0 }, guest()), 0);
    assert.equal(cpuShare({ cores: 1 }, guest({ coresUsed: 0.5 })), 0.5);
  });
});
