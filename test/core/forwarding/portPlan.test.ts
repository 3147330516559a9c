// Checks which public ports forwards get on another node.
import assert from "node:assert/strict";
import {
  HIGHEST_PORT,
  LOWEST_ASSIGNED_PORT,
  planPortForwards,
  portKey,
} from "../../../src/core/forwarding/portPlan.js";

const forward = (id: number, publicPort: number, protocol = "tcp") => ({ id, publicPort, protocol });
const ports = (...given: Parameters<typeof planPortForwards>) =>
  planPortForwards(...given).map(({ newPublicPort, dropped }) => (dropped ? null : newPublicPort));

describe("core/forwarding/portPlan", () => {
  it("keeps free ports, and reports it", () => {
    assert.deepEqual(ports([forward(1, 2222), forward(2, 80)], new Set(), false), [2222, 80]);
    assert.equal(planPortForwards([forward(1, 2222)], new Set(), false)[0]?.explanation, "tcp kept");
  });
  it("takes the next free port for a taken one, and shows both", () => {
    assert.deepEqual(planPortForwards([forward(1, 2222)], new Set(["tcp/2222", "tcp/2223"]), false), [
      {
        forwardId: 1,
        protocol: "tcp",
        publicPort: 2222,
        newPublicPort: 2224,
        dropped: false,
        explanation: "tcp 2222 is taken on the target, becomes 2224",
      },
    ]);
  });
  it("gives no port twice among forwards that move together", () => {
    assert.deepEqual(ports([forward(1, 2222), forward(2, 2223)], new Set(["tcp/2222"]), false), [2223, 2224]);
  });
  it("distinguishes the protocols", () =>
    assert.deepEqual(ports([forward(1, 53, "udp")], new Set(["tcp/53"]), false), [53]));
  it("starts again at the lowest after the highest, and leaves the node's own ports alone", () => {
    assert.deepEqual(ports([forward(1, HIGHEST_PORT)], new Set([`tcp/${HIGHEST_PORT}`]), false), [
      LOWEST_ASSIGNED_PORT,
    ]);
    assert.deepEqual(ports([forward(1, 80)], new Set(["tcp/80"]), false), [LOWEST_ASSIGNED_PORT]);
  });
  it("gives no forward a port that the node listens on itself", () => {
    const own = [22, 111, 3128, 5900, 8006, 60_000];
    const given = ports(
      own.map((port, id) => forward(id, port)),
      new Set(),
      false,
    );
    assert.deepEqual(given, [1024, 1025, 3129, 6000, 8007, 60_051]);
    assert.deepEqual(ports([forward(1, 5405, "udp"), forward(2, 22, "udp")], new Set(), false), [5413, 22]);
  });
  it("drops all when the operator requests it, and one that finds no port", () => {
    assert.deepEqual(ports([forward(1, 80)], new Set(), true), [null]);
    const all = new Set(Array.from({ length: HIGHEST_PORT }, (_, index) => portKey("tcp", index + 1)));
    assert.deepEqual(ports([forward(1, 80)], all, false), [null]);
  });
});
