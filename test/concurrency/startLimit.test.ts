// How much work begins at once: few things while they are soon done, others beside what waits for long.
import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { StartLimit } from "../../src/concurrency/startLimit.js";

const NEVER_MS = 3_600_000;

describe("concurrency/startLimit", () => {
  it("lets no more in than may have begun, each after the other in the order in which they came", async () => {
    const starts = new StartLimit({ most: 2, briskMs: NEVER_MS });
    const begun: number[] = [];
    let running = 0;
    let most = 0;
    const work = (number: number) => async () => {
      begun.push(number);
      most = Math.max(most, ++running);
      await turn();
      running--;
      return number;
    };
    const results = await Promise.all([1, 2, 3, 4, 5].map((number) => starts.pass(work(number))));
    assert.deepEqual(results, [1, 2, 3, 4, 5]);
    assert.deepEqual(begun, [1, 2, 3, 4, 5]);
    assert.equal(most, 2);
  });

  it("lets the next one in when one takes long, and counts the place once", async () => {
    const starts = new StartLimit({ most: 1, briskMs: 1 });
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: nextBegan, resolve: tell } = Promise.withResolvers<void>();
    const long = starts.pass(() => released);
    await Promise.all([starts.pass(() => Promise.resolve(tell())), nextBegan]);
    release();
    await long;
    let running = 0;
    let most = 0;
    const briskWork = async (): Promise<void> => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      running--;
    };
    await Promise.all([starts.pass(briskWork), starts.pass(briskWork)]);
    assert.equal(most, 1);
  });

  it("goes on after work that failed", async () => {
    const starts = new StartLimit({ most: 1, briskMs: NEVER_MS });
    const failing = starts.pass(() => Promise.reject(new Error("away")));
    const next = starts.pass(() => Promise.resolve("done"));
    await assert.rejects(failing, /away/);
    assert.equal(await next, "done");
  });
});
