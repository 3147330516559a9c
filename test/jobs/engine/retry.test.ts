// What is tried again, for how long, and what is told meanwhile.
import assert from "node:assert/strict";
import { pastLocks, PASSING_FOR_REPEATABLE, retryTransient } from "../../../jobs/engine/retry.js";
import { PlatformReason, platformError, withoutQuorum } from "../../../src/hypervisor/platformError.js";
import { HandTime, LeapingTime } from "../../support/handTime.js";
import { silentLog } from "../../support/log.js";

/** Work that fails in this way once, or always, and what was told of its waiting. */
function failing(reason: PlatformReason, { always = false } = {}) {
  const seen = { attempts: 0, told: [] as string[] };
  const stopping = new AbortController();
  const context = {
    signal: stopping.signal,
    stopwatch: new LeapingTime(15_000),
    lockWaitMs: 30_000,
    log: silentLog,
    waiting: { waits: (why: string) => seen.told.push(why), goesOn: () => seen.told.push("goes on") },
  };
  const work = (): Promise<string> => {
    seen.attempts++;
    return always || seen.attempts === 1 ? Promise.reject(platformError(reason, "away")) : Promise.resolve("done");
  };
  return { seen, context, work, stop: () => stopping.abort(new Error("the worker stops")) };
}

describe("jobs/engine/retry", () => {
  it("tries again what may pass, and reports that it waits and goes on", async () => {
    const { seen, context, work } = failing(PlatformReason.UNREACHABLE);
    assert.equal(await retryTransient(context, { patienceMs: 60_000 }, work), "done");
    assert.deepEqual(seen, { attempts: 2, told: ["away", "goes on"] });
  });

  it("gives up when the next attempt would come too late", async () => {
    const { seen, context, work } = failing(PlatformReason.UNREACHABLE, { always: true });
    await assert.rejects(retryTransient(context, { patienceMs: 499 }, work), /away/);
    assert.deepEqual(seen, { attempts: 1, told: ["goes on"] });
  });

  it("tries again after pauses that grow up to a quarter of a minute, as long as it has patience", async () => {
    const { seen, context, work } = failing(PlatformReason.UNREACHABLE, { always: true });
    await assert.rejects(retryTransient(context, { patienceMs: 60_500 }, work), /away/);
    assert.deepEqual(context.stopwatch.pauses, [500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000]);
    assert.equal(seen.attempts, 9);
  });

  it("does not repeat what will not pass, nor a change that may have been made, unless it can be made twice", async () => {
    for (const reason of [PlatformReason.REFUSED, PlatformReason.FORBIDDEN, PlatformReason.UNCERTAIN]) {
      const { seen, context, work } = failing(reason);
      await assert.rejects(retryTransient(context, { patienceMs: 60_000 }, work), /away/);
      assert.equal(seen.attempts, 1);
    }
    const { context, work } = failing(PlatformReason.UNCERTAIN);
    assert.equal(await retryTransient(context, { patienceMs: 60_000, passing: PASSING_FOR_REPEATABLE }, work), "done");
  });

  it("waits for a lock of the platform as long as the setting states, where that is longer than its patience", async () => {
    for (const patienceMs of [0, 10_000, 40_000]) {
      const { seen, context, work } = failing(PlatformReason.LOCKED, { always: true });
      await assert.rejects(retryTransient(context, { patienceMs }, work), /away/);
      const whole = [500, 1000, 2000, 4000, 8000];
      assert.deepEqual(context.stopwatch.pauses, patienceMs > 30_000 ? [...whole, 15_000] : whole);
      assert.equal(seen.told.at(-1), "goes on");
    }
  });

  it("counts the time of a lock from its first refusal, however long the work before took", async () => {
    const { seen, context, work } = failing(PlatformReason.LOCKED);
    const stopwatch = new HandTime();
    const pausing = { ...context, stopwatch };
    const slow = (): Promise<string> => {
      stopwatch.move(3_600_000);
      return work();
    };
    const done = pastLocks(pausing, slow);
    await stopwatch.waitsFor(500);
    stopwatch.move(500);
    assert.equal(await done, "done");
    assert.equal(seen.attempts, 2);
  });

  it("repeats for a lock what is repeated for nothing else", async () => {
    const lock = failing(PlatformReason.LOCKED);
    assert.equal(await pastLocks(lock.context, lock.work), "done");
    for (const reason of Object.values(PlatformReason).filter((other) => other !== PlatformReason.LOCKED)) {
      const { seen, context, work } = failing(reason);
      await assert.rejects(pastLocks(context, work), /away/);
      assert.equal(seen.attempts, 1);
    }
  });

  it("waits for the quorum of a cluster only where that is asked for", async () => {
    for (const awaitsQuorum of [true, undefined]) {
      let attempts = 0;
      const work = (): Promise<string> =>
        ++attempts === 1 ? Promise.reject(withoutQuorum()) : Promise.resolve("done");
      const { context } = failing(PlatformReason.LOCKED);
      const budget = { patienceMs: 60_000, ...(awaitsQuorum && { awaitsQuorum }) };
      const done = retryTransient(context, budget, work);
      await (awaitsQuorum ? done : assert.rejects(done, /no quorum/));
      assert.equal(attempts, awaitsQuorum ? 2 : 1);
    }
  });

  it("ends with the worker, whatever it waits for", async () => {
    const { seen, context, work, stop } = failing(PlatformReason.UNREACHABLE, { always: true });
    stop();
    await assert.rejects(retryTransient(context, { patienceMs: 60_000 }, work), /the worker stops/);
    assert.equal(seen.attempts, 1);
  });
});
