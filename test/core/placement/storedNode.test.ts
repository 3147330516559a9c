// Checks what becomes of stored nodes at one moment: reserved room counts as taken, old samples as none.
import assert from "node:assert/strict";
import { atMoment, type ReservedRoom, type StoredNode } from "../../../src/core/placement/storedNode.js";
import { GIB } from "../../../src/core/units.js";
import { host, node, NOW, storage } from "./example.js";

const HALF_AN_HOUR = 30 * 60 * 1000;

const stored = (id: number, name: string, change: Partial<StoredNode> = {}): StoredNode => ({
  id,
  state: node({ name, storages: [storage({ name: "local" }), storage({ name: "ceph", shared: true })] }),
  sampledAt: NOW,
  ...change,
});

const reservation = (change: Partial<ReservedRoom>): ReservedRoom => ({
  hostId: 1,
  nodeId: 1,
  storage: "local",
  memoryMb: 512,
  diskBytes: 3 * GIB,
  ...change,
});

/** RAM in MiB, then GiB on `local` and on `ceph`, that are reserved on the nodes 1 and 2 of host 1 and on node 3 of host 2. */
function reserved(...reservations: ReservedRoom[]): number[][] {
  const elsewhere = stored(3, "a");
  const nodes = [
    stored(1, "a"),
    stored(2, "b"),
    { ...elsewhere, state: { ...elsewhere.state, host: host({ id: 2 }) } },
  ];
  return atMoment(nodes, reservations, NOW).map(({ memoryReservedMb, storages }) => [
    memoryReservedMb,
    ...storages.map(({ reservedBytes }) => reservedBytes / GIB),
  ]);
}

describe("core/placement/storedNode", () => {
  const ages: [age: number | null, cpuAverage: number | null][] = [
    [0, 0.25],
    [HALF_AN_HOUR - 1, 0.25],
    [HALF_AN_HOUR, null],
    [null, null],
  ];
  for (const [age, cpuAverage] of ages) {
    const known = cpuAverage === null ? "does not know" : "knows";
    it(`${known} the CPU average when the newest sample is ${age === null ? "missing" : `${age} ms old`}`, () => {
      const [state] = atMoment([stored(1, "a", { sampledAt: age === null ? null : NOW - age })], [], NOW);
      assert.equal(state?.cpuAverage, cpuAverage);
    });
  }

  it("leaves a node as it is stored where nothing is reserved on its host", () => {
    const kept = stored(1, "a");
    assert.equal(atMoment([kept], [reservation({ hostId: 2, nodeId: 3 })], NOW)[0], kept.state);
  });

  it("adds up what is reserved on a node, on that node alone", () => {
    assert.deepEqual(reserved(reservation({}), reservation({ memoryMb: 256, diskBytes: GIB })), [
      [768, 4, 0],
      [0, 0, 0],
      [0, 0, 0],
    ]);
  });

  it("counts a disk on every node of the host where its storage is shared", () => {
    assert.deepEqual(reserved(reservation({ storage: "ceph" }), reservation({ nodeId: 2, storage: "ceph" })), [
      [512, 0, 6],
      [512, 0, 6],
      [0, 0, 0],
    ]);
  });

  it("counts the RAM of a guest whose storage is not chosen yet", () => {
    assert.deepEqual(reserved(reservation({ storage: null })), [
      [512, 0, 0],
      [0, 0, 0],
      [0, 0, 0],
    ]);
  });
});
