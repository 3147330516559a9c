// How benchmarks are measured: in turns, by medians of each round's ratio, against targets.
import assert from "node:assert/strict";
import { figureOf, inTurns, isMet, median, percentile, ratioOf, type Contestant } from "../../bench/frame.js";

/** Measures these values one after the other, and notes its name at each turn. */
const playing = (name: string, values: readonly number[], turns: string[] = []): Contestant => {
  const left = values.values();
  return {
    name,
    measure() {
      turns.push(name);
      return Promise.resolve({ ms: left.next().value ?? Number.NaN });
    },
  };
};

describe("bench/frame", () => {
  it("lets all take turns, and does not count the first turn of each", async () => {
    const turns: string[] = [];
    const standings = await inTurns([playing("a", [900, 1, 3], turns), playing("b", [900, 5, 7], turns)], 2);
    assert.deepEqual(turns, ["a", "b", "a", "b", "a", "b"]);
    assert.equal(figureOf(standings, "a", "ms"), 2);
    assert.equal(figureOf(standings, "b", "ms"), 6);
  });

  it("compares within each round: the median of the ratios, not the ratio of the medians", async () => {
    const standings = await inTurns([playing("a", [1, 1, 10, 100]), playing("b", [1, 30, 5, 40])], 3);
    assert.equal(figureOf(standings, "b", "ms") / figureOf(standings, "a", "ms"), 3);
    assert.equal(ratioOf(standings, "b", "ms"), 0.5);
  });

  it("has no ratio to nothing, and refuses to report what was not measured", async () => {
    const standings = await inTurns([playing("a", [1, 0]), playing("b", [1, 5])], 1);
    assert.throws(() => ratioOf(standings, "b", "ms"), /ms of b was not measured/);
    assert.throws(() => figureOf(standings, "c", "ms"), /ms of c was not measured/);
    assert.throws(() => figureOf(standings, "a", "MB"), /MB of a was not measured/);
  });

  it("takes the middle, or the mean of the two in the middle", () => {
    assert.equal(median([9, 1, 5]), 5);
    assert.equal(median([9, 1, 5, 7]), 6);
    assert.equal(median([4]), 4);
    assert.ok(Number.isNaN(median([])));
  });

  it("takes the value that a share of all are not above", () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
    assert.equal(percentile(hundred, 0.95), 95);
    assert.equal(percentile(hundred, 0), 1);
    assert.equal(percentile(hundred, 1), 100);
    assert.ok(Number.isNaN(percentile([], 0.5)));
  });

  it("has met a target at its very value, and none with what is no number", () => {
    const verdict = { says: "it takes", unit: "ms" } as const;
    assert.equal(isMet({ ...verdict, value: 5, atMost: 5 }), true);
    assert.equal(isMet({ ...verdict, value: 5.1, atMost: 5 }), false);
    assert.equal(isMet({ ...verdict, value: 20, atLeast: 20 }), true);
    assert.equal(isMet({ ...verdict, value: 19.9, atLeast: 20 }), false);
    assert.equal(isMet({ ...verdict, value: Number.NaN, atMost: 5 }), false);
  });
});
