// Checks the greatest room among targets, figure by figure, and which guests it rules out.
import assert from "node:assert/strict";
import { fitsNowhere, greatestHeadroom } from "../../../src/core/balance/headroom.js";
import { GIB } from "../../../src/core/units.js";
import { node, storage } from "../placement/example.js";
import { guest } from "./example.js";

const thresholds = { ramPercent: 80, cpuPercent: 85 };
const images = (freeGib: number) => storage({ content: ["images"], freeBytes: freeGib * GIB });
const containers = (freeGib: number) => storage({ content: ["rootdir"], freeBytes: freeGib * GIB });

describe("core/balance/headroom", () => {
  it("is the greatest of each figure, of whichever node", () => {
    const wide = node({ memoryMb: 10_000, memoryUsedMb: 1_000, memoryReservedMb: 500, cores: 4, cpuAverage: 0.35 });
    const busy = node({ memoryMb: 10_000, memoryUsedMb: 7_000, cores: 40, cpuAverage: null });
    const found = greatestHeadroom(
      [
        { ...wide, storages: [images(5), containers(70)] },
        { ...busy, storages: [images(50)] },
      ],
      thresholds,
    );
    assert.deepEqual(found, {
      memoryMb: 7_000,
      cores: 34,
      freeMemoryMb: 8_500,
      diskBytes: { qemu: 50 * GIB, lxc: 70 * GIB },
    });
    assert.equal(greatestHeadroom([wide], thresholds).cores, 2);
  });

  it("is nothing at all without a node, and without a storage of the type", () => {
    const none = greatestHeadroom([], thresholds);
    assert.deepEqual(
      [none.memoryMb, none.cores, none.freeMemoryMb, none.diskBytes.qemu, none.diskBytes.lxc],
      Array.from({ length: 5 }, () => -Infinity),
    );
    assert.equal(greatestHeadroom([node({ storages: [images(5)] })], thresholds).diskBytes.lxc, -Infinity);
  });

  it("rules out what needs more of any figure, and nothing that needs exactly it", () => {
    const room = { memoryMb: 1_000, cores: 2, freeMemoryMb: 2_000, diskBytes: { qemu: 20 * GIB, lxc: 10 * GIB } };
    const exactly = guest({ memoryUsedMb: 1_000, coresUsed: 2, memoryMb: 2_000, diskGb: 20 });
    assert.equal(fitsNowhere(exactly, room), false);
    for (const change of [{ memoryUsedMb: 1_001 }, { coresUsed: 2.1 }, { memoryMb: 2_001 }, { diskGb: 21 }]) {
      assert.equal(fitsNowhere({ ...exactly, ...change }, room), true, JSON.stringify(change));
    }
    assert.equal(fitsNowhere({ ...exactly, type: "lxc", diskGb: 10 }, room), false);
    assert.equal(fitsNowhere({ ...exactly, type: "lxc", diskGb: 11 }, room), true);
  });
});
