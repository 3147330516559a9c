// When the next heartbeat is due, how long the service may hold it, how failures spread, and whose clock counts.
import assert from "node:assert/strict";
import { backOffMs } from "../../agent/backOff.js";
import type { Beaten } from "../../agent/pace.js";
import { pauseMs, waitSeconds } from "../../agent/pace.js";
import { parseReply } from "../../agent/protocol.js";
import { ServerClock } from "../../agent/serverClock.js";

const reply = (interval: unknown = 15): ReturnType<typeof parseReply> =>
  parseReply({ data: { interval_seconds: interval, jobs: [] } });
const BEATEN: Beaten = { reply: reply(), wasHeld: true, running: 0, waiting: "none", elapsedMs: 0 };

describe("agent pace", () => {
  const pauses: [string, Partial<Beaten>, number][] = [
    ["a long poll that was held to its end", { elapsedMs: 15_000 }, 0],
    ["a long poll that was held longer", { elapsedMs: 25_000 }, 0],
    ["a long poll that was cut short", { elapsedMs: 10 }, 14_990],
    ["the first answer", { wasHeld: false }, 0],
    ["an answer while jobs run", { wasHeld: false, running: 1, elapsedMs: 5 }, 14_995],
    ["an answer of a service too quick for long polls", { reply: reply(0.2), wasHeld: false, elapsedMs: 50 }, 150],
    ["a result never sent", { waiting: "new", running: 3 }, 0],
    ["a result sent before", { waiting: "repeated", elapsedMs: 400 }, 600],
  ];
  for (const [name, part, pause] of pauses) {
    it(`after ${name}: ${pause} ms`, () => assert.equal(pauseMs({ ...BEATEN, ...part }), pause));
  }

  const waits: [unknown, number][] = [
    [1, 1],
    [1.9, 1],
    [25, 25],
    [26, 25],
    [0.2, 0],
    [0, 15],
    [-1, 15],
    [3601, 15],
    ["15", 15],
    [null, 15],
  ];
  for (const [interval, wait] of waits) {
    it(`interval ${JSON.stringify(interval)} lets the service hold ${wait} s`, () =>
      assert.equal(waitSeconds(reply(interval)), wait));
  }
});

describe("agent back-off", () => {
  const cases: [failures: number, least: number, most: number][] = [
    [1, 500, 1000],
    [2, 1000, 2000],
    [5, 8000, 16_000],
    [6, 15_000, 30_000],
    [10_000, 15_000, 30_000],
  ];
  for (const [failures, least, most] of cases) {
    it(`after ${failures} failures: ${least} to ${most} ms`, () => {
      assert.equal(
        backOffMs(failures, () => 0),
        least,
      );
      assert.equal(
        backOffMs(failures, () => 1),
        most,
      );
    });
  }
});

describe("agent's view of the service's clock", () => {
  it("is the node's own until the service has sent its time", () => {
    const clock = new ServerClock();
    clock.hear(undefined);
    clock.hear("yesterday-ish");
    assert.ok(Math.abs(clock.now() - Date.now()) < 1000);
  });

  it("runs on from the last Date header, whatever the node's clock does", () => {
    let monotonic = 1000;
    const clock = new ServerClock(() => monotonic);
    clock.hear("Sat, 01 Jan 2000 00:00:00 GMT");
    monotonic += 2500;
    assert.equal(new Date(clock.now()).toISOString(), "2000-01-01T00:00:02.500Z");
  });
});

describe("answer to a heartbeat", () => {
  it("leaves out jobs without an id and keeps the rest of any shape", () => {
    const { jobs } = parseReply({ data: { jobs: [null, {}, { id: 5 }, { id: "a" }, { id: "b", deadline: "soon" }] } });
    assert.deepEqual(jobs, [
      { id: "a", kind: "", payload: undefined, deadline: null },
      { id: "b", kind: "", payload: undefined, deadline: null },
    ]);
  });
});
