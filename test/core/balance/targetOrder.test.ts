// The best of ordered targets is the best of all, whatever the nodes are like and however they fill up.
import assert from "node:assert/strict";
import { TargetOrder } from "../../../src/core/balance/targetOrder.js";
import { GIB } from "../../../src/core/units.js";
import { byRank, scoreNode, type ScoredNode } from "../../../src/core/placement/score.js";
import type { NodeState, PlacementRequest } from "../../../src/core/placement/snapshot.js";
import { node, storage } from "../placement/example.js";

const REQUESTS: readonly PlacementRequest[] = [
  { type: "qemu", memoryMb: 0, cores: 1, diskGb: 0 },
  { type: "qemu", memoryMb: 512, cores: 1, diskGb: 20 },
  { type: "qemu", memoryMb: 4_096, cores: 1, diskGb: 1 },
];
const WEIGHTS = [
  { ram: 0.5, cpu: 0.3, storage: 0.2 },
  { ram: 1, cpu: 0, storage: 0 },
  { ram: 0, cpu: 0, storage: 3 },
];

/** The same numbers at every run. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * sides);
  };
}

/** @param variety few values make many equal nodes, many make none */
function randomNode(number: number, roll: (sides: number) => number, variety: number): NodeState {
  const freeBytes = (20 + roll(variety)) * GIB;
  return node({
    name: `n${number}`,
    memoryMb: 8_192 * (roll(10) === 0 ? 0 : 1 + roll(2)),
    memoryUsedMb: roll(variety) * 16,
    cpuAverage: roll(8) === 0 ? null : roll(variety) / 64,
    guestCount: roll(3),
    storages: roll(12) === 0 ? [] : [storage({ totalBytes: 200 * GIB * roll(3), freeBytes })],
  });
}

describe("core/balance/targetOrder", () => {
  for (const variety of [1, 3, 60]) {
    for (const weights of WEIGHTS) {
      it(`finds the best of nodes with ${variety} values, weighted ${JSON.stringify(weights)}`, () => {
        const roll = dice(variety);
        const nodes = Array.from({ length: 60 }, (_, number) => randomNode(number, roll, variety));
        const order = new TargetOrder(nodes.entries(), "qemu", weights);
        for (let round = 0; round < 200; round++) {
          const request = REQUESTS[roll(REQUESTS.length)] ?? assert.fail();
          const excluded = roll(5);
          const score = (target: NodeState): ScoredNode | null =>
            target.name.endsWith(String(excluded)) || target.memoryMb - target.memoryUsedMb < request.memoryMb
              ? null
              : scoreNode(target, request, weights);
          const scored = nodes.map(score).filter((one) => one !== null);
          const best = scored.toSorted(byRank)[0] ?? null;
          assert.deepEqual(order.best(request, score), best);
          const place = roll(nodes.length);
          const changed = { ...randomNode(place, roll, variety), name: `n${place}` };
          // As when a guest arrives: sizes stay.
          const grown = { ...changed, memoryMb: nodes[place]?.memoryMb ?? 0, storages: nodes[place]?.storages ?? [] };
          nodes[place] = grown;
          order.change(place, grown);
        }
      });
    }
  }
});
