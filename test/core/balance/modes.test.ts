// Checks which set of guests each mode chooses, and what it says when no set suffices.
import assert from "node:assert/strict";
import { GIB } from "../../../src/core/units.js";
import { storage } from "../placement/example.js";
import { cool, guest, hot, report } from "./example.js";

/** The guests that are moved to keep down what is copied. */
const movedByCopy = (...some: Parameters<typeof report>[1]) =>
  report([hot(), cool()], some, { mode: "least_copy" }).suggestions.map((one) => one.guest.vmid);

describe("core/balance/suggest: modes", () => {
  const guests = [
    guest({ vmid: 1, memoryMb: 1_024, memoryUsedMb: 1_024, diskGb: 1 }),
    guest({ vmid: 2, memoryMb: 2_048, memoryUsedMb: 2_048, diskGb: 1 }),
    guest({ vmid: 3, memoryMb: 2_560, memoryUsedMb: 2_560, diskGb: 1 }),
    guest({ vmid: 4, memoryMb: 5_120, memoryUsedMb: 5_120, diskGb: 500 }),
  ];
  for (const [mode, moved] of [
    ["smallest_first", [1, 2, 3]],
    ["fewest_moves", [4]],
    ["least_copy", [1, 2, 3]],
  ] as const) {
    it(`${mode} moves ${moved.join(", ")}`, () => {
      const { suggestions, hotAfter } = report([hot(), cool()], guests, { mode });
      assert.deepEqual(new Set(suggestions.map((one) => one.guest.vmid)), new Set(moved));
      assert.equal(hotAfter, 0);
    });
  }
  it("take the next best set when a guest finds no target", () => {
    const tight = cool({ storages: [storage({ freeBytes: 100 * GIB })] });
    const { suggestions, skipped } = report([hot(), tight], guests, { mode: "fewest_moves" });
    assert.deepEqual(new Set(suggestions.map((one) => one.guest.vmid)), new Set([1, 2, 3]));
    assert.deepEqual(
      skipped.map((one) => one.guest.vmid),
      [4],
    );
  });
  it("move nothing when all that can move does not suffice, and report it", () => {
    const stuck = guest({ vmid: 5, obstacle: "the guest is locked: backup" });
    const few = guests.slice(0, 2);
    const { suggestions, hotNodes } = report([hot(), cool()], [...few, stuck], { mode: "fewest_moves" });
    assert.deepEqual(suggestions, []);
    assert.equal(hotNodes[0]?.unresolvedReason, "guest 5: the guest is locked: backup");
    const none = report([hot(), cool()], few, { mode: "least_copy" });
    assert.equal(none.hotNodes[0]?.unresolvedReason, "its running guests do not suffice");
  });
  it("least_copy counts disks always, and RAM of what moves while it runs", () => {
    // Either cools the node: 14 GiB in all, or 16 GiB of disk.
    const machine = guest({ vmid: 1, memoryMb: 10_240, diskGb: 4 });
    const container = guest({ vmid: 2, type: "lxc", memoryMb: 10_240, diskGb: 16 });
    assert.deepEqual(movedByCopy(machine, container), [1]);
    assert.deepEqual(movedByCopy(machine, { ...container, diskGb: 13 }), [2]);
    assert.deepEqual(movedByCopy({ ...machine, diskGb: 7 }, container), [2]);
  });
  it("choose none that cannot move, were it the cheapest", () => {
    const stuck = guest({ vmid: 1, memoryMb: 1_024, diskGb: 1, obstacle: "the guest is locked: backup" });
    for (const mode of ["fewest_moves", "least_copy"] as const) {
      const { suggestions, skipped } = report([hot(), cool()], [stuck, guest({ vmid: 2 })], { mode });
      assert.deepEqual([suggestions.map((one) => one.guest.vmid), skipped], [[2], []], mode);
    }
  });
  it("cool a node by its CPU too, also one whose RAM is not known", () => {
    const busy = hot({ memoryMb: 0, memoryUsedMb: 0, cpuAverage: 0.95 });
    const guests4 = [1, 2, 4].map((coresUsed) => guest({ vmid: coresUsed, coresUsed, memoryUsedMb: 512 }));
    const { suggestions } = report([busy, cool()], guests4, { mode: "fewest_moves" });
    assert.equal(suggestions.length, 1);
  });
});
