// How much one node's agent may send.
import assert from "node:assert/strict";
import { NodeRate } from "../../heartbeat/nodeRate.js";

const MIB = 1024 * 1024;
const REFUSED = { kind: "rateLimited" };

describe("heartbeat/nodeRate", () => {
  it("lets a node send many heartbeats at once, and then as many as it gets again", () => {
    const rate = new NodeRate();
    for (let beat = 0; beat < 100; beat++) rate.count(1, 500, 0);
    assert.throws(() => rate.count(1, 500, 0), { ...REFUSED, retryAfterSeconds: 1 });
    rate.count(1, 500, 50);
    assert.throws(() => rate.count(1, 500, 50), REFUSED);
  });

  it("counts a large heartbeat as many, and reports when the next one may come", () => {
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
});
