// How much one node's agent may send.
import assert from "node:assert/strict";
import { NodeRate, type Allowance } from "../../heartbeat/nodeRate.js";

const MIB = 1024 * 1024;
const WHOLE_AGAIN_MS = 5_000;
const REFUSED = { kind: "rateLimited" };

/** Counts how many nodes were looked at. */
class CountingNodes extends Map<number, Allowance> {
  looks = 0;

  override *entries(): MapIterator<[number, Allowance]> {
    for (const entry of super.entries()) {
      this.looks++;
      yield entry;
    }
  }
}

describe("heartbeat/nodeRate", () => {
  it("lets a node send many heartbeats at once, and then as many as it gets again", () => {
    const rate = new NodeRate();
    for (let beat = 0; beat < 100; beat++) rate.count(1, 500, 0);
    assert.throws(() => rate.count(1, 500, 0), { ...REFUSED, retryAfterSeconds: 1 });
    rate.count(1, 500, 50);
    assert.throws(() => rate.count(1, 500, 50), REFUSED);
  });

  it("counts a large heartbeat as many, and says when the next one may come", () => {
    const rate = new NodeRate();
    rate.count(1, MIB, 0);
    assert.throws(() => rate.count(1, MIB, 0), { ...REFUSED, retryAfterSeconds: 2 });
    rate.count(1, MIB, 2_000);
  });

  it("counts each node for itself", () => {
    const rate = new NodeRate();
    for (let node = 1; node <= 30_000; node++) rate.count(node, MIB, 0);
    assert.throws(() => rate.count(1, MIB, 0), REFUSED);
  });

  it("looks at a few nodes with each heartbeat, however many there are", () => {
    const nodes = new CountingNodes();
    const rate = new NodeRate(nodes);
    for (let node = 1; node <= 60_000; node++) rate.count(node, MIB, 0);
    assert.equal(nodes.size, 60_000);
    assert.ok(nodes.looks > 0 && nodes.looks <= 4 * 40_001, String(nodes.looks));
  });

  it("forgets nodes that may send all again, while others come", () => {
    const nodes = new CountingNodes();
    const rate = new NodeRate(nodes);
    for (let node = 1; node <= 60_000; node++) rate.count(node, MIB, 0);
    for (let beat = 1; beat <= 60_000; beat++) rate.count(-beat, MIB, WHOLE_AGAIN_MS);
    assert.ok(nodes.size <= 60_000, String(nodes.size));
    assert.ok(![...nodes.keys()].some((node) => node > 0));
    assert.throws(() => rate.count(-1, MIB, WHOLE_AGAIN_MS), REFUSED);
  });
});
