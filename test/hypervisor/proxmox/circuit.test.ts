// When a host counts as dead, and when it is asked again.
import assert from "node:assert/strict";
import type { Clock } from "../../../src/concurrency/clock.js";
import { Circuit } from "../../../src/hypervisor/proxmox/circuit.js";

const SINCE = new Date("2026-11-21T03:00:00Z");
const clock: Clock = { offsetSeconds: 0, now: () => SINCE };

const REFUSED = { words: "nothing listens at its address and port", detail: "connect ECONNREFUSED" };
const SILENT = { words: "no answer within 5.0 s" };

describe("hypervisor/proxmox/circuit", () => {
  let now = 0;
  let circuit: Circuit;

  beforeEach(() => {
    now = 0;
    circuit = new Circuit({ noticeableMs: 0, firstProbeMs: 1000, longestProbeMs: 3000 }, clock, () => now);
  });

  const failAt = (milliseconds: number): void => {
    now = milliseconds;
    circuit.failed(milliseconds, REFUSED);
  };

  it("lets calls through while the host is not known to be dead", () => {
    assert.deepEqual(circuit.admit(), { kind: "open" });
    assert.deepEqual(circuit.admit(), { kind: "open" });
  });

  it("leaves it to each caller to be refused when that is quick, also by a host that was dead", () => {
    circuit = new Circuit({ noticeableMs: 500, firstProbeMs: 1000, longestProbeMs: 3000 }, clock, () => now);
    now = 499;
    circuit.failed(0, REFUSED);
    assert.equal(circuit.admit().kind, "open");
    now = 500;
    circuit.failed(0, SILENT);
    assert.equal(circuit.admit().kind, "dead");
    circuit.failed(500, REFUSED);
    assert.equal(circuit.admit().kind, "open");
  });

  it("answers for a dead host until the first probe is due, then lets one call through", () => {
    failAt(0);
    now = 999;
    assert.deepEqual(circuit.admit(), { kind: "dead", since: SINCE, fault: REFUSED });
    now = 1000;
    assert.deepEqual(circuit.admit(), { kind: "probe" });
    assert.equal(circuit.admit().kind, "dead");
  });

  it("probes again while a probe hangs", () => {
    failAt(0);
    now = 1000;
    assert.equal(circuit.admit().kind, "probe");
    now = 2000;
    assert.equal(circuit.admit().kind, "probe");
  });

  it("waits twice as long after each failed probe, and no longer than the longest pause", () => {
    failAt(0);
    let failedAt = 0;
    for (const pauseMs of [1000, 2000, 3000, 3000]) {
      now = failedAt + pauseMs - 1;
      assert.equal(circuit.admit().kind, "dead", `before ${pauseMs}`);
      now = failedAt + pauseMs;
      assert.equal(circuit.admit().kind, "probe", `at ${pauseMs}`);
      failAt(now);
      failedAt = now;
    }
  });

  it("counts many calls that fail together once", () => {
    now = 500;
    for (let call = 0; call < 20; call++) circuit.failed(call, SILENT);
    now = 1500;
    assert.equal(circuit.admit().kind, "probe");
  });

  it("is whole again after any answer, and starts with the first pause the next time", () => {
    failAt(0);
    failAt(1000);
    circuit.answered();
    assert.equal(circuit.admit().kind, "open");
    failAt(2000);
    now = 3000;
    assert.equal(circuit.admit().kind, "probe");
  });

  it("does not blame the host for a call during which it answered another one", () => {
    now = 100;
    circuit.answered();
    circuit.failed(99, SILENT);
    assert.equal(circuit.admit().kind, "open");
    circuit.failed(100, SILENT);
    assert.equal(circuit.admit().kind, "open");
    now = 101;
    circuit.failed(101, SILENT);
    assert.equal(circuit.admit().kind, "dead");
  });
});
