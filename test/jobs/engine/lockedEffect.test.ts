// Effects that a lock of the platform refuses, at the request or in the task: made once, as soon as the lock is free.
import assert from "node:assert/strict";
import { leavesNoTrace, makeEffect, makeEffectAgain } from "../../../jobs/engine/effect.js";
import type { JobFacts } from "../../../jobs/engine/step.js";
import { platformError, PlatformReason } from "../../../src/hypervisor/platformError.js";
import { LeapingTime } from "../../support/handTime.js";
import { outcomeOf, platform } from "./endedTasks.js";
import { memoryContext, MemoryStore } from "./memory.js";

const UPID = "UPID:pve1:1";
const LOCKED = platformError(PlatformReason.LOCKED, "can't lock file");
const known = { [UPID]: outcomeOf(UPID) };

const lockedTask = (upid: string) =>
  outcomeOf(upid, { succeeded: false, exitStatus: "can't lock file", failure: PlatformReason.LOCKED });

/** Requests of which the first ones are refused, and looks for what came of them. */
const refusedAtFirst = (times: number, found: string | null = null) => {
  const seen: string[] = [];
  const start = async () => {
    seen.push("request");
    if (seen.filter((what) => what === "request").length <= times) throw LOCKED;
    return UPID;
  };
  const find = async () => {
    seen.push("look");
    return found === null ? null : { upid: found };
  };
  return { seen, start, find };
};

describe("an effect that a lock of the platform refuses", () => {
  let store: MemoryStore;
  let started: number;
  beforeEach(() => {
    store = new MemoryStore();
    started = 0;
  });
  const job = () => store.jobs.get(1) ?? assert.fail();
  const contextOf = (facts: JobFacts = {}, host = platform(known)) =>
    memoryContext(store, { facts, platform: host, stopwatch: new LeapingTime(1000) });
  const effect = (more = {}) => ({
    name: "clone",
    start: async () => {
      started++;
      return UPID;
    },
    find: leavesNoTrace,
    ...more,
  });

  it("is looked for, then requested again, until the lock is free", async () => {
    const { seen, ...requests } = refusedAtFirst(2);
    const outcome = await makeEffect(await contextOf(), effect(requests));
    assert.deepEqual([seen, outcome?.upid], [["request", "look", "request", "look", "request"], UPID]);
  });

  it("is not requested again where the look finds it", async () => {
    const { seen, ...requests } = refusedAtFirst(1, UPID);
    await makeEffect(await contextOf(), effect(requests));
    assert.deepEqual([seen, job().facts.tasks], [["request", "look"], { clone: UPID }]);
  });

  it("gets another task where its own has ended for the lock, also one of an earlier worker", async () => {
    const host = platform({ "UPID:old": lockedTask("UPID:old"), ...known });
    const context = await contextOf({ begun: ["clone"], tasks: { clone: "UPID:old" } }, host);
    const outcome = await makeEffect(context, effect());
    assert.deepEqual([outcome?.upid, started, job().facts.tasks], [UPID, 1, { clone: UPID }]);
  });

  it("is requested again where it is made once more", async () => {
    const { seen, ...requests } = refusedAtFirst(1);
    await makeEffectAgain(await contextOf({ begun: ["clone"], tasks: { clone: "UPID:old" } }), effect(requests));
    assert.deepEqual([seen, job().facts.tasks], [["look", "request", "look", "request"], { clone: UPID }]);
  });

  it("fails with the words of the refusal when the time of the setting is up", async () => {
    const host = platform({ [UPID]: lockedTask(UPID) });
    const stopwatch = new LeapingTime(15_000);
    const context = await memoryContext(store, { platform: host, stopwatch });
    await assert.rejects(makeEffect(context, effect()), {
      message: "qmclone on node pve1 of host rack1 failed: can't lock file",
      reason: PlatformReason.LOCKED,
    });
    const waitedMs = stopwatch.pauses.reduce((sum, pause) => sum + pause, 0);
    assert.ok(waitedMs <= 300_000 && waitedMs > 300_000 - 15_000, `${waitedMs} ms`);
    assert.equal(started, stopwatch.pauses.length + 1);
  });
});
