// What arrives together is handled together, and no more waits than is allowed.
import assert from "node:assert/strict";
import { MicroBatches } from "../../src/concurrency/microBatches.js";
import { refusedAs } from "../support/refusal.js";

describe("microBatches", () => {
  it("handles what waits in batches of the largest size, and gives each item its own result", async () => {
    const sizes: number[] = [];
    const batches = new MicroBatches<number, number>(
      (items) => {
        sizes.push(items.length);
        return Promise.resolve((item: number) => item * 2);
      },
      { atOnce: 1, largest: 3, mostWaiting: 10 },
    );
    const results = await Promise.all([1, 2, 3, 4, 5].map((item) => batches.add(item)));
    assert.deepEqual(results, [2, 4, 6, 8, 10]);
    assert.deepEqual(sizes, [3, 2]);
  });

  it("refuses a caller that comes when enough wait, and forgets none that waits", async () => {
    const held = Promise.withResolvers<void>();
    const batches = new MicroBatches<number, number>(
      async () => {
        await held.promise;
        return (item: number) => item;
      },
      { atOnce: 1, largest: 1, mostWaiting: 2 },
    );
    const waiting = [batches.add(1), batches.add(2)];
    const { reason, retryAfterSeconds } = await refusedAs("unavailable", batches.add(3));
    assert.deepEqual([reason, retryAfterSeconds], ["BUSY", 2]);
    held.resolve();
    assert.deepEqual(await Promise.all(waiting), [1, 2]);
    assert.equal(await batches.add(4), 4);
  });
});
