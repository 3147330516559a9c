// Checks what must hold for every placement, on generated nodes.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import { DEFAULT_PLACEMENT_SETTINGS, weightsFault, type Weights } from "../../../src/core/placement/context.js";
import { place, placeBest } from "../../../src/core/placement/place.js";
import type { NodeState } from "../../../src/core/placement/snapshot.js";
import { GIB } from "../../../src/core/units.js";
import { agent, context, host, node, NOW, request, snapshot, storage } from "./example.js";

const nodes: fc.Arbitrary<NodeState[]> = fc.uniqueArray(
  fc
    .record({
      hostId: fc.integer({ min: 1, max: 3 }),
      name: fc.constantFrom("a", "b", "c", "d"),
      online: fc.boolean(),
      silence: fc.integer({ min: 0, max: 200 }),
      cpuAverage: fc.option(fc.constantFrom(0, 0.25, 0.5, 1)),
      memoryUsedMb: fc.constantFrom(0, 32_768, 61_440, 65_536),
      memoryReservedMb: fc.constantFrom(0, 4_096),
      guestCount: fc.nat({ max: 3 }),
      freeGb: fc.constantFrom(0, 20, 500),
    })
    .map(({ hostId, silence, freeGb, ...change }) =>
      node({
        ...change,
        host: host({ id: hostId }),
        agent: agent({ lastSeenAt: NOW - silence * 1000 }),
        storages: [storage({ freeBytes: freeGb * GIB })],
      }),
    ),
  { selector: ({ host: { id }, name }) => `${id}/${name}`, maxLength: 12 },
);

const part = fc.constantFrom(0, 0.1, 0.2, 0.3, 0.5, 1, 7);
const weights = fc.record({ ram: part, cpu: part, storage: part }).filter((some) => weightsFault(some) === null);

const placeWith = (some: NodeState[], settings: Weights = DEFAULT_PLACEMENT_SETTINGS.weights) =>
  place(snapshot(...some), request(), context({ settings: { ...DEFAULT_PLACEMENT_SETTINGS, weights: settings } }));

describe("core/placement properties", () => {
  it("scaling the weights changes nothing", () => {
    fc.assert(
      fc.property(nodes, weights, fc.constantFrom(0.125, 2, 1024), (some, base, factor) => {
        const scaled = { ram: base.ram * factor, cpu: base.cpu * factor, storage: base.storage * factor };
        assert.deepEqual(placeWith(some, scaled), placeWith(some, base));
      }),
    );
  });

  it("every node is ranked or dropped, never both, and the best is the first of the ranked", () => {
    fc.assert(
      fc.property(nodes, (some) => {
        const { best, ranked, dropped } = placeWith(some);
        const names = [...ranked, ...dropped].map((row) => `${row.hostId}/${row.node}`);
        assert.deepEqual(names.toSorted(), some.map((one) => `${one.host.id}/${one.name}`).toSorted());
        assert.deepEqual(best, ranked[0] ?? null);
      }),
    );
  });

  it("the order of nodes does not matter", () => {
    const shuffled = nodes.chain((some) =>
      fc.tuple(fc.constant(some), fc.shuffledSubarray(some, { minLength: some.length })),
    );
    fc.assert(fc.property(shuffled, ([some, mixed]) => assert.deepEqual(placeWith(mixed), placeWith(some))));
  });

  it("scores fall along the ranking and stay within 0..1; of equals, none has fewer guests than the one before", () => {
    fc.assert(
      fc.property(nodes, weights, (some, base) => {
        const { ranked } = placeWith(some, base);
        for (const [index, row] of ranked.entries()) {
          assert.ok(row.score >= 0 && row.score <= 1);
          const before = ranked[index - 1];
          if (!before) continue;
          assert.ok(before.score >= row.score);
          assert.ok(before.score > row.score || before.guestCount <= row.guestCount);
        }
      }),
    );
  });

  it("the fast way finds the same best", () => {
    fc.assert(
      fc.property(nodes, (some) => {
        assert.deepEqual(placeBest(snapshot(...some), request(), context()), placeWith(some).best);
      }),
    );
  });

  for (const [ram, cpu, storageWeight, fault] of [
    [0, 0, 0, "must not all be 0"],
    [-0.1, 1, 1, "must be numbers of at least 0"],
    [Number.NaN, 1, 1, "must be numbers of at least 0"],
    [Infinity, 1, 1, "must be numbers of at least 0"],
    [0, 0, 0.1, null],
  ] as const) {
    it(`weights ${ram}, ${cpu}, ${storageWeight}: ${fault ?? "fine"}`, () => {
      assert.equal(weightsFault({ ram, cpu, storage: storageWeight }), fault);
    });
  }
});
