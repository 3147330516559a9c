// Checks which storage and bridge of the target each one of the guest is mapped to.
import assert from "node:assert/strict";
import {
  fallbackBridge,
  fallbackStorage,
  mapSources,
  bytesByTarget,
  storageShortfalls,
  type Choosing,
} from "../../../src/core/migration/mapping.js";

const choosing: Choosing = { options: ["local-lvm", "tank"], chosen: new Map(), fallback: null };
const targets = (sources: string[], change: Partial<Choosing> = {}) =>
  mapSources(sources, { ...choosing, ...change }).map(({ source, target, preselected }) => [
    source,
    target,
    preselected,
  ]);

describe("core/migration/mapping", () => {
  it("preselects equal names and leaves unlike ones open", () => {
    assert.deepEqual(targets(["tank", "ssd", "tank"]), [
      ["tank", "tank", true],
      ["ssd", null, false],
    ]);
  });
  it("gives unlike names the fallback when no operator can be asked", () => {
    assert.deepEqual(targets(["tank", "ssd"], { fallback: "local-lvm" }), [
      ["tank", "tank", true],
      ["ssd", "local-lvm", true],
    ]);
  });
  it("takes the operator's choice before the equal name, if the target has it", () => {
    assert.deepEqual(targets(["tank"], { chosen: new Map([["tank", "local-lvm"]]) }), [["tank", "local-lvm", false]]);
    assert.deepEqual(targets(["tank"], { chosen: new Map([["tank", "gone"]]), fallback: "tank" }), [
      ["tank", null, false],
    ]);
  });
  it("shows the options", () => assert.deepEqual(mapSources(["a"], choosing)[0]?.options, ["local-lvm", "tank"]));

  it("falls back to the roomiest storage, of equals the first by name", () => {
    assert.equal(fallbackStorage([]), null);
    assert.equal(
      fallbackStorage([
        { name: "b", freeBytes: 5 },
        { name: "a", freeBytes: 5 },
        { name: "c", freeBytes: 4 },
        { name: "unknown", freeBytes: null },
      ]),
      "a",
    );
    assert.equal(fallbackStorage([{ name: "unknown", freeBytes: null }]), null);
  });
  it("finds a storage short whose room is not known, unless it has to take nothing", () => {
    const unknown = [{ name: "a", freeBytes: null }];
    assert.deepEqual(storageShortfalls(new Map([["a", 1]]), unknown), [
      { storage: "a", neededBytes: 1, freeBytes: null },
    ]);
    assert.deepEqual(storageShortfalls(new Map(), unknown), []);
  });
  it("falls back to the zone's bridge, else to the only one", () => {
    assert.equal(fallbackBridge(["vmbr0", "vmbr1"], "vmbr1"), "vmbr1");
    assert.equal(fallbackBridge(["vmbr0", "vmbr1"], "vmbr9"), null);
    assert.equal(fallbackBridge(["vmbr0", "vmbr1"], null), null);
    assert.equal(fallbackBridge(["vmbr0"], "vmbr9"), "vmbr0");
    assert.equal(fallbackBridge([], null), null);
  });

  it("adds up what is mapped to one storage: an exact fit is room", () => {
    const mapping = mapSources(["tank", "ssd"], { ...choosing, fallback: "tank" });
    const bySource = new Map([
      ["tank", 60],
      ["ssd", 40],
    ]);
    const needed = bytesByTarget(mapping, bySource);
    assert.deepEqual(storageShortfalls(needed, [{ name: "tank", freeBytes: 100 }]), []);
    assert.deepEqual(storageShortfalls(needed, [{ name: "tank", freeBytes: 99 }]), [
      { storage: "tank", neededBytes: 100, freeBytes: 99 },
    ]);
  });
});
