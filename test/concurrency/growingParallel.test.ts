// How many things are done at once: few while each is soon done, more while they let themselves be waited for.
import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { inGrowingParallel } from "../../src/concurrency/growingParallel.js";

const NEVER_MS = 3_600_000;

describe("work in growing parallel", () => {
  it("does one thing after the other before the time for more has come, and keeps the order", async () => {
    let running = 0;
    let most = 0;
    const results = await inGrowingParallel([3, 1, 2], { most: 8, everyMs: NEVER_MS }, async (item) => {
      most = Math.max(most, ++running);
      await turn();
      running--;
      return item * 10;
    });
    assert.deepEqual(results, [30, 10, 20]);
    assert.equal(most, 1);
  });

  it("begins others while one hangs", async () => {
    const { promise: othersDone, resolve: tell } = Promise.withResolvers<string>();
    const results = await inGrowingParallel(["hangs", "second", "last"], { most: 2, everyMs: 1 }, (item) => {
      if (item === "hangs") return othersDone;
      if (item === "last") tell("told");
      return Promise.resolve(item);
    });
    assert.deepEqual(results, ["told", "second", "last"]);
  });

  it("does no more at once than it may", async () => {
    let running = 0;
    let most = 0;
    const { promise: bothRun, resolve: tell } = Promise.withResolvers<void>();
    await inGrowingParallel([1, 2, 3, 4, 5, 6], { most: 2, everyMs: 1 }, async () => {
      most = Math.max(most, ++running);
      if (running === 2) tell();
      await bothRun;
      await turn();
      running--;
    });
    assert.equal(most, 2);
  });

  it("has nothing to do for nothing", async () => {
    assert.deepEqual(await inGrowingParallel([], { most: 8, everyMs: NEVER_MS }, () => Promise.resolve(1)), []);
  });

  it("begins nothing more in places that were still to come once something went wrong", async () => {
    const begun: number[] = [];
    const work = inGrowingParallel([1, 2], { most: 2, everyMs: NEVER_MS }, (item) => {
      begun.push(item);
      return Promise.reject(new Error("away"));
    });
    await assert.rejects(work, /away/);
    await turn();
    assert.deepEqual(begun, [1]);
  });
});
