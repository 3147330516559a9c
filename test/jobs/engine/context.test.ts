// The context of a step: what is recorded when, and what is visible to the steps after a refused write.
import assert from "node:assert/strict";
import { DroverError } from "../../../src/errors/errors.js";
import { Fenced, type JobFacts, type Step } from "../../../jobs/engine/step.js";
import type { JobContext } from "../../../jobs/engine/context.js";
import { HandTime } from "../../support/handTime.js";
import { memoryContext, MemoryStore } from "./memory.js";

const PLACE = { position: 0, from: 0.2, share: 0.5 };
const step = (more: Partial<Step<JobFacts>> = {}): Step<JobFacts> => ({
  name: "clone",
  weight: 1,
  run: () => Promise.resolve({}),
  ...more,
});

describe("jobs/engine/context", () => {
  let store: MemoryStore;
  let context: JobContext;
  beforeEach(async () => {
    store = new MemoryStore();
    context = await memoryContext(store);
  });
  const job = () => store.jobs.get(context.job.id) ?? assert.fail();
  const lose = (): void => store.takeOver({ id: 1 });

  it("records the beginning of a step, where the job stands, and the effect that it makes, in one write", async () => {
    await context.enter(step({ effect: "clone" }), PLACE);
    assert.deepEqual(store.writes, ["write"]);
    assert.deepEqual([job().step, job().progress, job().facts.begun], ["clone", 0.2, ["clone"]]);
    assert.equal(job().steps.get("clone")?.status, "running");
  });

  it("leaves the beginning of a brief step to its first finding", async () => {
    await context.enter(step({ brief: true }), PLACE);
    assert.deepEqual(store.writes, []);
    await context.remember({ undoing: "x" });
    assert.deepEqual([store.writes, job().steps.get("clone")?.status], [["write"], "running"]);
  });

  it("takes the effect of a step as new once, and as begun by an earlier attempt from then on", async () => {
    await context.enter(step({ effect: "clone" }), PLACE);
    assert.deepEqual([await context.beginEffect("clone"), await context.beginEffect("clone")], [false, true]);
    assert.deepEqual(job().facts.begun, ["clone"]);
  });

  it("records another effect before it is made, beside those on record", async () => {
    assert.equal(await context.beginEffect("start"), false);
    assert.equal(await context.beginEffect("resize"), false);
    assert.deepEqual(job().facts.begun, ["start", "resize"]);
  });

  it("takes the step's effect as begun when the step has ended without making it", async () => {
    await context.enter(step({ effect: "clone" }), PLACE);
    context.leave();
    assert.equal(await context.beginEffect("clone"), true);
  });

  it("shows findings after they are stored, and not when the lease is lost", async () => {
    await context.remember({ undoing: "x" });
    assert.equal(context.facts.undoing, "x");
    lose();
    await assert.rejects(context.remember({ undoing: "y" }), Fenced);
    await assert.rejects(context.rememberTask("clone", "UPID:1"), Fenced);
    await assert.rejects(context.beginEffect("start"), Fenced);
    assert.deepEqual(context.facts, { undoing: "x" });
    assert.deepEqual([job().facts, job().upids], [{ undoing: "x" }, []]);
  });

  it("stores tasks by effect, and beside each other", async () => {
    await context.rememberTask("clone", "UPID:1");
    await context.rememberTask("start", "UPID:2");
    assert.deepEqual(context.facts.tasks, { clone: "UPID:1", start: "UPID:2" });
    assert.deepEqual(job().upids, ["UPID:1", "UPID:2"]);
  });

  it("reports the progress of the step as the job's, a few times a second at most", async () => {
    const time = new HandTime();
    context = await memoryContext(store, { stopwatch: time });
    await context.enter(step(), PLACE);
    time.move(250);
    await context.progress(0.5);
    time.move(249);
    await context.progress(0.6);
    assert.equal(job().progress, 0.2 + 0.5 * 0.5);
    time.move(1);
    await context.progress(0.6);
    assert.equal(job().progress, 0.2 + 0.5 * 0.6);
  });

  it("keeps the progress of a step within it", async () => {
    const time = new HandTime();
    context = await memoryContext(store, { stopwatch: time });
    await context.enter(step(), PLACE);
    time.move(250);
    await context.progress(7);
    assert.equal(job().progress, 0.7);
  });

  it("ends a step with all its warnings, and the next one with none", async () => {
    context.warn("one");
    context.warn("two");
    assert.deepEqual(context.ending, { status: "warned", error: "one; two" });
    await context.enter(step(), PLACE);
    assert.deepEqual(context.ending, { status: "done" });
  });

  it("has no platform for a job whose host is gone", async () => {
    const hostless = await memoryContext(store, { hostId: null });
    assert.throws(
      () => hostless.hypervisor(),
      (error) => error instanceof DroverError && error.kind === "notFound",
    );
  });
});
