// How much work begins at once: few things while they are soon done, others beside what waits for long.
import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { Turnstile } from "../../src/concurrency/turnstile.js";

const NEVER_MS = 3_600_000;

describe("a turnstile", () => {
  it("lets no more in than may have begun, each after the other in the order in which they came", async () => {
    const turnstile = new Turnstile({ most: 2, briskMs: NEVER_MS });
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
    const results = await Promise.all([1, 2, 3, 4, 5].map((number) => turnstile.pass(work(number))));
    assert.deepEqual(results, [1, 2, 3, 4, 5]);
    assert.deepEqual(begun, [1, 2, 3, 4, 5]);
    assert.equal(most, 2);
  });

  it("lets the next one in when one takes long, and counts the place once", async () => {
    const turnstile = new Turnstile({ most: 1, briskMs: 1 });
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: nextBegan, resolve: tell } = Promise.withResolvers<void>();
    const long = turnstile.pass(() => released);
    await Promise.all([turnstile.pass(() => Promise.resolve(tell())), nextBegan]);
    release();
    await long;
    let running = 0;
    let most = 0;
    const briskWork = async (): Promise<void> => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      running--;
    };
    await Promise.all([turnstile.pass(briskWork), turnstile.pass(briskWork)]);
    assert.equal(most, 1);
  });

  it("goes on after work that failed", async () => {
    const turnstile = new Turnstile({ most: 1, briskMs: NEVER_MS });
    const failing = turnstile.pass(() => Promise.reject(new Error("away")));
    const next = turnstile.pass(() => Promise.resolve("done"));
    await assert.rejects(failing, /away/);
    assert.equal(await next, "done");
  });
});
