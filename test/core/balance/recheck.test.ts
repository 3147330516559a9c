// Checks when a suggested move is still made when its turn has come, and what is said when it is not.
import assert from "node:assert/strict";
import { whyNoLonger } from "../../../src/core/balance/recheck.js";
import type { MovableGuest } from "../../../src/core/migration/movableGuest.js";
import type { NodeState } from "../../../src/core/placement/snapshot.js";
import { host, snapshot } from "../placement/example.js";
import { beta, cool, gamma, guest, settings } from "./example.js";

const target = { hostId: 2, node: "cool" };
const why = (nodes: NodeState[], change: Partial<MovableGuest> = {}) =>
  whyNoLonger(snapshot(...nodes), guest(change), { target, settings });

describe("core/balance/recheck", () => {
  it("makes a move whose target has room and stays cool, whatever the other nodes are like", () => {
    assert.equal(why([cool()]), null);
    const others = [cool({ name: "other", online: false }), cool({ host: gamma, memoryUsedMb: 60_000 })];
    assert.equal(why([...others, cool()]), null);
  });

  it("makes none of a guest that does not run any longer", () => {
    assert.equal(why([cool()], { running: false }), "the guest does not run any longer: its move would free nothing");
  });

  it("makes none to a node that is not known: neither its name on another host nor another node of its host will do", () => {
    const strangers = [cool({ host: gamma }), cool({ name: "other" })];
    assert.equal(why(strangers), "cool is no longer known");
    assert.equal(why([]), "cool is no longer known");
  });

  it("reports which rule stands against the target", () => {
    assert.match(why([cool({ online: false })]) ?? "", /offline/);
    assert.match(why([cool({ host: host({ id: beta.id, name: beta.name, active: false }) })]) ?? "", /./);
    assert.match(why([cool({ cores: 1 })]) ?? "", /cores/);
  });

  it("reports that the target is hot itself, with what is reserved on it", () => {
    assert.equal(why([cool({ cpuAverage: 0.9 })]), "cool is hot itself: CPU 90 % is above 85 %");
    assert.equal(
      why([cool({ memoryUsedMb: 0, memoryReservedMb: 55_706 })], { memoryMb: 512 }),
      "cool is hot itself: RAM 85 % is above 80 %",
    );
  });

  it("reports that the target would not stay under the thresholds", () => {
    const nearly = cool({ memoryUsedMb: 52_428 - 8_192 });
    assert.equal(why([nearly]), null);
    const [used, reserved] = [{ memoryUsedMb: 52_428.8 - 8_192 }, { memoryReservedMb: 52_428.8 - 8_192 - 16_384 }];
    for (const change of [used, reserved])
      assert.equal(why([cool(change)]), "cool would not stay under the thresholds");
  });
});
