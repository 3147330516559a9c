// One effect on the platform: recorded before it is made, made once, found again after a crash or a lost response.
import assert from "node:assert/strict";
import {
  awaitLateStart,
  forgetEffect,
  leavesNoTrace,
  makeEffect,
  makeEffectAgain,
  startOrJoin,
} from "../../../jobs/engine/effect.js";
import { Fenced, type JobFacts } from "../../../jobs/engine/step.js";
import type { Clock } from "../../../src/concurrency/clock.js";
import { GuestType } from "../../../src/core/enums.js";
import { platformError, PlatformReason } from "../../../src/hypervisor/platformError.js";
import { LeapingTime } from "../../support/handTime.js";
import { AT_WORK, outcomeOf, platform } from "./endedTasks.js";
import { memoryContext, MemoryStore } from "./memory.js";

const GUEST = { type: GuestType.QEMU, node: "pve1", vmid: 100 };
const UPID = "UPID:pve1:1";
const LOST = platformError(PlatformReason.UNCERTAIN, "no answer");
const LONG_AGO = new Date(Date.now() - 3_600_000).toISOString();

describe("jobs/engine/effect", () => {
  let store: MemoryStore;
  let started: string[];
  beforeEach(() => {
    store = new MemoryStore();
    started = [];
  });
  const job = () => store.jobs.get(1) ?? assert.fail();
  const known = { [UPID]: outcomeOf(UPID) };
  const contextOf = (facts: JobFacts = {}, host = platform(known)) =>
    memoryContext(store, { facts, platform: host, stopwatch: new LeapingTime(1000) });
  const effect = (more = {}) => ({
    name: "clone",
    start: async () => {
      started.push([...(job().facts.begun ?? [])].join());
      return UPID;
    },
    find: leavesNoTrace,
    ...more,
  });
  const trace = (upid: string | null = UPID) => ({ find: () => Promise.resolve({ upid }) });
  const isLost = async (): Promise<never> => {
    started.push("lost");
    throw LOST;
  };

  it("is on record before it is requested, its task as soon as that is known, and followed to its end", async () => {
    const outcome = await makeEffect(await contextOf(), effect());
    assert.deepEqual([started, job().facts.tasks, outcome?.upid], [["clone"], { clone: UPID }, UPID]);
  });

  it("is not requested by a worker that lost its lease", async () => {
    const context = await contextOf();
    store.takeOver(context.job);
    await assert.rejects(makeEffect(context, effect()), Fenced);
    assert.deepEqual(started, []);
  });

  it("joins the task on record", async () => {
    await makeEffect(await contextOf({ begun: ["clone"], tasks: { clone: UPID } }), effect());
    assert.deepEqual(started, []);
  });

  it("is looked for when an earlier attempt had begun it, and requested if there is no trace", async () => {
    await makeEffect(await contextOf({ begun: ["clone"] }), effect(trace()));
    assert.deepEqual([started, job().facts.tasks], [[], { clone: UPID }]);
    store.jobs.clear();
    await makeEffect(await contextOf({ begun: ["clone"] }), effect());
    assert.equal(started.length, 1);
  });

  it("is complete without a task when it was done at once, or found done", async () => {
    assert.equal(await makeEffect(await contextOf(), effect({ start: () => Promise.resolve(null) })), null);
    assert.equal(await makeEffect(await contextOf({ begun: ["clone"] }), effect(trace(null))), null);
    assert.deepEqual(started, []);
  });

  it("fails with the words of its task", async () => {
    const host = platform({ [UPID]: outcomeOf(UPID, { succeeded: false, exitStatus: "no space left" }) });
    await assert.rejects(
      makeEffect(await contextOf({}, host), effect()),
      /qmclone on node pve1 of host rack1 failed: no space left/,
    );
  });

  it("fails with a refusal, and looks for nothing", async () => {
    const refused = platformError(PlatformReason.REFUSED, "no");
    await assert.rejects(
      makeEffect(
        await contextOf(),
        effect({ start: () => Promise.reject(refused), find: () => assert.fail("looked") }),
      ),
      refused,
    );
  });

  it("is found when its response was lost, also when it starts late", async () => {
    let looks = 0;
    const find = async () => (++looks === 2 ? { upid: UPID } : null);
    const outcome = await makeEffect(await contextOf(), effect({ start: isLost, find }));
    assert.deepEqual([looks, outcome?.upid, started], [2, UPID, ["lost"]]);
  });

  it("is resubmitted where that does no harm, which is on record before", async () => {
    let requests = 0;
    let recorded: unknown;
    const start = async () => {
      if (++requests === 1) throw LOST;
      recorded = job().facts.orderedAgain;
      return UPID;
    };
    await makeEffect(await contextOf(), effect({ start, repeatableOn: GUEST }));
    assert.deepEqual([requests, Object.keys(Object(recorded))], [2, ["clone"]]);
  });

  it("is not resubmitted while a task is at work on the guest", async () => {
    const host = platform(known, { activeTasks: () => Promise.resolve([AT_WORK]) });
    const makes = makeEffect(await contextOf({}, host), effect({ start: isLost, repeatableOn: GUEST }));
    await assert.rejects(makes, LOST);
    assert.deepEqual([started, job().facts.orderedAgain], [["lost"], undefined]);
  });

  it("is not on record as resubmitted when there was nothing left to do", async () => {
    let requests = 0;
    const start = async () => (++requests === 1 ? isLost() : null);
    await makeEffect(await contextOf(), effect({ start, repeatableOn: GUEST }));
    assert.deepEqual(job().facts.orderedAgain, {});
  });

  it("is looked for again when the platform has forgotten its task", async () => {
    const further = { "UPID:2": outcomeOf("UPID:2") };
    const context = await contextOf({ begun: ["clone"], tasks: { clone: UPID } }, platform(further));
    const outcome = await makeEffect(context, effect(trace("UPID:2")));
    assert.deepEqual([outcome?.upid, job().facts.tasks], ["UPID:2", { clone: "UPID:2" }]);
  });

  it("fails when the platform has forgotten its task and shows no trace", async () => {
    const context = await contextOf({ begun: ["clone"], tasks: { clone: UPID } }, platform());
    await assert.rejects(makeEffect(context, effect()), /no longer knows/);
  });

  it("fails, with its further task on record, when the platform has forgotten that as well", async () => {
    const context = await contextOf({ begun: ["clone"], tasks: { clone: UPID } }, platform());
    await assert.rejects(makeEffect(context, effect(trace("UPID:2"))), /no longer knows what became of UPID:pve1:1/);
    assert.deepEqual(job().facts.tasks, { clone: "UPID:2" });
  });

  it("warns of an unknown end where repeating does no harm", async () => {
    const context = await contextOf({ begun: ["clone"], tasks: { clone: UPID } }, platform());
    assert.equal(await makeEffect(context, effect({ repeatableOn: GUEST })), null);
    assert.deepEqual([context.ending.status, started.length], ["warned", 1]);
  });

  it("can be made once more in place of the task on record", async () => {
    const context = await contextOf({ begun: ["clone"], tasks: { clone: "UPID:old" } });
    const outcome = await makeEffectAgain(context, effect());
    assert.deepEqual([started.length, job().facts.tasks, outcome?.upid], [1, { clone: UPID }, UPID]);
  });

  it("is an effect of its own again once it is forgotten, and no other one is", async () => {
    const facts = { begun: ["clone", "start"], tasks: { clone: UPID, start: "UPID:2" } };
    const context = await contextOf(facts);
    await forgetEffect(context, "clone");
    assert.deepEqual([job().facts.begun, job().facts.tasks], [["start"], { start: "UPID:2" }]);
    await makeEffect(context, effect({ find: () => assert.fail("looked") }));
    assert.equal(started.length, 1);
  });

  describe("that must never be made twice", () => {
    let prepared: number;
    beforeEach(() => {
      prepared = 0;
    });
    const single = (more = {}) => ({
      name: "transfer",
      find: leavesNoTrace,
      prepare: async () => {
        prepared++;
        return {
          findings: { undoing: "found" },
          start: async () => {
            started.push(JSON.stringify([job().facts.begun, job().facts.undoing, job().facts.orderedAt !== undefined]));
            return UPID;
          },
        };
      },
      ...more,
    });

    it("is recorded with its time and what was found, right before the request", async () => {
      assert.equal(await startOrJoin(await contextOf(), single()), UPID);
      assert.deepEqual(started, ['[["transfer"],"found",true]']);
      assert.deepEqual([store.writes, job().facts.tasks], [["write", "writeTask"], { transfer: UPID }]);
    });

    it("is not requested when the lease was lost while it was prepared", async () => {
      const context = await contextOf();
      const prepare = async () => {
        store.takeOver(context.job);
        return { findings: {}, start: isLost };
      };
      await assert.rejects(startOrJoin(context, single({ prepare })), Fenced);
      assert.deepEqual([started, job().facts.begun], [[], undefined]);
    });

    it("joins what an earlier attempt requested, without preparing it", async () => {
      const context = await contextOf({ begun: ["transfer"], orderedAt: LONG_AGO });
      assert.equal(await startOrJoin(context, single(trace())), UPID);
      assert.deepEqual([prepared, started], [0, []]);
    });

    it("is waited for as long as an earlier request may start late", async () => {
      let looks = 0;
      const find = async () => (++looks === 2 ? { upid: UPID } : null);
      const context = await contextOf({ begun: ["transfer"], orderedAt: new Date().toISOString() });
      assert.equal(await startOrJoin(context, single({ find })), UPID);
      assert.deepEqual([prepared, started], [0, []]);
    });

    it("is requested again when an earlier request has left no trace and can no longer start", async () => {
      const context = await contextOf({ begun: ["transfer"], orderedAt: LONG_AGO });
      await startOrJoin(context, single());
      assert.deepEqual([prepared, started.length, job().facts.begun], [1, 1, ["transfer"]]);
      assert.ok((job().facts.orderedAt ?? "") > LONG_AGO);
    });

    it("is found when its response was lost", async () => {
      assert.equal(
        await startOrJoin(
          await contextOf(),
          single({ prepare: async () => ({ findings: {}, start: isLost }), ...trace() }),
        ),
        UPID,
      );
      assert.deepEqual(started, ["lost"]);
    });
  });

  describe("the wait for a late start", () => {
    it("is none when nothing was resubmitted, or long ago", async () => {
      await awaitLateStart(await contextOf(), "stop");
      await awaitLateStart(
        await contextOf({ orderedAgain: { stop: LONG_AGO, start: new Date().toISOString() } }),
        "stop",
      );
    });

    it("lasts while the resubmitted request may have a double, and is reported", async () => {
      const at = Date.parse(LONG_AGO);
      const looks = [34_500, 34_999, 35_000].map((later) => new Date(at + later));
      const clock: Clock = { offsetSeconds: 0, now: () => looks.shift() ?? assert.fail("it waits for longer") };
      const stopwatch = new LeapingTime(1000);
      const context = await memoryContext(store, { facts: { orderedAgain: { stop: LONG_AGO } }, clock, stopwatch });
      await awaitLateStart(context, "stop");
      assert.deepEqual(looks, []);
      await context.waiting.settled();
      assert.match(job().waits[0] ?? "", /an order \(stop\)/);
      assert.equal(job().waits.at(-1), null);
    });
  });
});
