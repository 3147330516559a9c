// How long agents wait, what ends it, and how many may: of one node, and in all.
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { LongPoll } from "../../heartbeat/longPoll.js";
import { HandTime } from "../support/handTime.js";
import type { Events } from "../../src/events/events.js";

const LONG_MS = 600_000;

/** Nothing is ever announced. */
const silence: Events = { on: () => () => undefined, emitLocal: () => undefined, close: () => Promise.resolve() };

/** Announcements that the test makes. */
function announcements(): Events {
  const emitter = new EventEmitter();
  return {
    on(topic, heard) {
      emitter.on(topic, heard);
      return () => emitter.off(topic, heard);
    },
    emitLocal: (topic, id) => void emitter.emit(topic, id),
    close: () => Promise.resolve(),
  };
}

describe("heartbeat/longPoll", () => {
  let longPoll: LongPoll;
  afterEach(() => longPoll.close());

  it("keeps news that come while no caller asks for them: before the first look, and during any other", async () => {
    const events = announcements();
    longPoll = new LongPoll(events, 100);
    const wait = longPoll.wait(1, LONG_MS);
    for (let look = 1; look <= 3; look++) {
      events.emitLocal("agentJob", 2);
      events.emitLocal("agentJob", 1);
      events.emitLocal("agentJob", 1);
      assert.equal(await wait.next(), true, `look ${look}`);
    }
    const fourth = wait.next();
    events.emitLocal("agentJob", 2);
    wait.end();
    assert.equal(await fourth, false, "what was taken, and what is of other nodes, is no news");
  });

  it("reports to all who wait that news may have been lost, and to each of them that there are some", async () => {
    const events = announcements();
    longPoll = new LongPoll(events, 100);
    const waits = [1, 1, 2].map((node) => longPoll.wait(node, LONG_MS));
    const first = waits.map((wait) => wait.next());
    events.emitLocal("gap", 0);
    assert.deepEqual(await Promise.all(first), [true, true, true]);
    const second = waits.map((wait) => wait.next());
    events.emitLocal("agentJob", 1);
    waits[2]?.end();
    assert.deepEqual(await Promise.all(second), [true, true, false]);
  });

  it("ends when the time is up, and with the service, and reports news that came before", async () => {
    const events = announcements();
    const time = new HandTime();
    longPoll = new LongPoll(events, 100, time);
    const brief = longPoll.wait(1, 500);
    time.move(499);
    assert.equal(longPoll.count, 1);
    time.move(1);
    assert.equal(await brief.next(), false);
    const [idle, woken] = [longPoll.wait(1, LONG_MS), longPoll.wait(2, LONG_MS)];
    events.emitLocal("agentJob", 2);
    longPoll.close();
    assert.deepEqual([await idle.next(), await woken.next(), await woken.next()], [false, true, false]);
    assert.equal(longPoll.count, 0);
  });

  it("answers the oldest of a node that waits for a third time", async () => {
    longPoll = new LongPoll(silence, 100);
    const [first, second, third] = [1, 2, 3].map(() => longPoll.wait(1, LONG_MS));
    const elsewhere = longPoll.wait(2, LONG_MS);
    assert.equal(await first?.next(), false);
    assert.equal(longPoll.count, 3);
    for (const wait of [second, third, elsewhere]) wait?.end();
    assert.equal(longPoll.count, 0);
  });

  it("lets no caller wait beyond the bound in all, and the next when one has gone", async () => {
    longPoll = new LongPoll(silence, 2);
    const [first] = [1, 2].map((node) => longPoll.wait(node, LONG_MS));
    assert.equal(await longPoll.wait(3, LONG_MS).next(), false);
    assert.equal(longPoll.count, 2);
    first?.end();
    first?.end();
    longPoll.wait(4, LONG_MS);
    assert.equal(longPoll.count, 2);
  });
});
