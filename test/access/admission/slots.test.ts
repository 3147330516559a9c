// Who is worked on at once: shares of callers, lines that are served in turn, and the small pool of callers that are not known.
import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { agentCaller, sourceCaller, type Caller } from "../../../src/access/admission/caller.js";
import { Slots } from "../../../src/access/admission/slots.js";

const BUSY = { kind: "unavailable", reason: "BUSY", retryAfterSeconds: 1 };
const [ONE, TWO, THREE] = [agentCaller(1), agentCaller(2), agentCaller(3)];

/** Sends so many requests of a caller. @returns those that are worked on, by what ends them */
const send = (slots: Slots, caller: Caller, count: number): (() => void)[] => {
  const working: (() => void)[] = [];
  for (let sent = 0; sent < count; sent++) void slots.take(caller).then((end) => working.push(end));
  return working;
};

describe("access/admission/slots", () => {
  it("are all a caller's who is alone, and shared when others come", async () => {
    const slots = new Slots(2_000);
    const alone = send(slots, ONE, 500);
    await turn();
    assert.equal(alone.length, 128);
    const second = send(slots, TWO, 500);
    const third = send(slots, THREE, 5);
    await turn();
    assert.deepEqual([second.length, third.length], [64, 5]);
    // The first caller's share has become smaller: what ends is not replaced before it is kept.
    for (const end of alone.splice(0, 100)) end();
    await turn();
    assert.equal(alone.length, 42);
  });

  it("keep a caller with thousands of requests from delaying another", async () => {
    const slots = new Slots(2_000);
    send(slots, ONE, 1_000);
    await turn();
    assert.equal(send(slots, TWO, 1).length, 0);
    const second = send(slots, TWO, 8);
    await turn();
    assert.equal(second.length, 8);
  });

  it("refuse what is beyond half of all requests of a caller, and beyond all", async () => {
    const slots = new Slots(20);
    send(slots, ONE, 10);
    await assert.rejects(slots.take(ONE), BUSY);
    send(slots, TWO, 10);
    await assert.rejects(slots.take(THREE), BUSY);
  });

  it("are given again when they come back", async () => {
    const slots = new Slots(2);
    const end = await slots.take(ONE);
    await assert.rejects(slots.take(ONE), BUSY);
    end();
    (await slots.take(ONE))();
  });

  it("of unknown callers are few, shared by source, and none of the others'", async () => {
    const slots = new Slots(2_000);
    const flood = send(slots, sourceCaller("192.0.2.1"), 50);
    await turn();
    assert.equal(flood.length, 8);
    await assert.rejects(slots.take(sourceCaller("192.0.2.1")), BUSY);
    const known = send(slots, ONE, 100);
    const other = send(slots, sourceCaller("192.0.2.2"), 1);
    await turn();
    assert.deepEqual([known.length, other.length], [100, 1]);
  });

  it("of unknown callers are given in turn when all are taken", async () => {
    const slots = new Slots(2_000);
    const floods = Array.from({ length: 8 }, (_, source) => send(slots, sourceCaller(`192.0.2.${source}`), 20));
    await turn();
    assert.equal(floods.flat().length, 16);
    const late = send(slots, sourceCaller("198.51.100.1"), 1);
    // Each of the others has its turn once before it.
    for (const end of floods.flat()) end();
    await turn();
    assert.equal(late.length, 1);
  });
});
