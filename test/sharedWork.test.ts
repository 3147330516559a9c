// Work that is shared: how long somebody waits for the same work that is under way.
import assert from "node:assert/strict";
import { SharedWork } from "../src/sharedWork.js";

/** Longer than any test may take. */
const NEVER_MS = 3_600_000;

/** Work whose end the test decides. */
function heldWork(shared: SharedWork<number>) {
  const begun: ((result: number) => void)[] = [];
  const work = (): Promise<number> =>
    new Promise((resolve) => {
      begun.push(resolve);
    });
  return {
    join: () => shared.join("key", work),
    begun: () => begun.length,
    async untilBegun(count: number): Promise<void> {
      while (begun.length < count) await new Promise((resolve) => setTimeout(resolve, 1));
    },
    end: (which: number) => begun[which]?.(which),
  };
}

describe("SharedWork", () => {
  it("begins beside the same work that takes longer than one waits for it", async () => {
    const held = heldWork(new SharedWork<number>(1));
    const slow = held.join();
    await held.untilBegun(1);
    const other = held.join();
    await held.untilBegun(2);
    held.end(1);
    assert.equal(await other, 1);
    held.end(0);
    assert.equal(await slow, 0);
  });

  it("waits for the newest of those that are under way, whichever ends first", async () => {
    const held = heldWork(new SharedWork<number>(1));
    const asked = [held.join()];
    await held.untilBegun(1);
    asked.push(held.join());
    await held.untilBegun(2);
    held.end(0);
    assert.equal(await asked[0], 0);
    asked.push(held.join(), held.join());
    await held.untilBegun(3);
    held.end(1);
    held.end(2);
    assert.deepEqual(await Promise.all(asked), [0, 1, 2, 2]);
  });

  for (const [name, longestWaitMs] of [
    ["to its end", null],
    ["as long as one waits", NEVER_MS],
  ] as const) {
    it(`waits for the same work ${name}, together with who comes meanwhile`, async () => {
      const held = heldWork(new SharedWork<number>(longestWaitMs));
      const asked = [held.join()];
      await held.untilBegun(1);
      asked.push(held.join());
      await new Promise((resolve) => setImmediate(resolve));
      asked.push(held.join());
      assert.equal(held.begun(), 1);
      held.end(0);
      await held.untilBegun(2);
      held.end(1);
      assert.deepEqual(await Promise.all(asked), [0, 1, 1]);
    });
  }
});
