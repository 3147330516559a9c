// How many agents may wait: of one node, and in all.
import assert from "node:assert/strict";
import { LongPoll } from "../../src/heartbeat/longPoll.js";
import type { Events } from "../../src/events.js";

const LONG_MS = 600_000;

/** Nothing is ever announced. */
const silence: Events = { on: () => () => undefined, tell: () => undefined, close: () => Promise.resolve() };

describe("heartbeat/longPoll", () => {
  let longPoll: LongPoll;
  afterEach(() => longPoll.close());

  it("answers the oldest of a node that waits for a third time", async () => {
    longPoll = new LongPoll(silence, 100);
    const [first, second, third] = [1, 2, 3].map(() => longPoll.wait(1, LONG_MS));
    const elsewhere = longPoll.wait(2, LONG_MS);
    assert.equal(await first?.hasNews, false);
    assert.equal(longPoll.count, 3);
    for (const wait of [second, third, elsewhere]) wait?.end();
    assert.equal(longPoll.count, 0);
  });

  it("lets nobody wait beyond the bound in all, and the next when one has gone", async () => {
    longPoll = new LongPoll(silence, 2);
    const [first] = [1, 2].map((node) => longPoll.wait(node, LONG_MS));
    assert.equal(await longPoll.wait(3, LONG_MS).hasNews, false);
    assert.equal(longPoll.count, 2);
    first?.end();
    first?.end();
    longPoll.wait(4, LONG_MS);
    assert.equal(longPoll.count, 2);
  });
});
