// Expensive work waits for a free place, and is refused when too much waits.
import assert from "node:assert/strict";
import { ConcurrencyLimit } from "../../src/access/concurrencyLimit.js";
import { refusedAs } from "../support/refusal.js";

describe("access/concurrencyLimit", () => {
  it("runs up to the limit at once, the rest in order, and refuses what exceeds the queue", async () => {
    const limit = new ConcurrencyLimit({ atOnce: 2, mostWaiting: 2 });
    const begun: number[] = [];
    const gates = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
    const works = gates.map((gate, index) =>
      limit.run(async () => {
        begun.push(index);
        await gate.promise;
        return index;
      }),
    );
    await refusedAs(
      "unavailable",
      limit.run(() => Promise.resolve()),
    );
    assert.deepEqual(begun, [0, 1]);
    gates[1]?.resolve();
    assert.equal(await works[1], 1);
    gates[0]?.resolve();
    gates[2]?.resolve();
    gates[3]?.resolve();
    assert.deepEqual(await Promise.all(works), [0, 1, 2, 3]);
    assert.deepEqual(begun, [0, 1, 2, 3]);
    assert.equal(await limit.run(() => Promise.resolve("free again")), "free again");
  });

  it("frees the place of work that failed", async () => {
    const limit = new ConcurrencyLimit({ atOnce: 1, mostWaiting: 0 });
    await assert.rejects(
      limit.run(() => Promise.reject(new Error("no"))),
      /no/,
    );
    assert.equal(await limit.run(() => Promise.resolve(1)), 1);
  });
});
