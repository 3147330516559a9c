// In which order the engine records and does: a step is on record before it is done, and the end of a job before it is reported.
import assert from "node:assert/strict";
import { runJob } from "../../../jobs/engine/executor.js";
import type { JobDefinition, JobFacts, Step } from "../../../jobs/engine/step.js";
import { JobKind } from "../../../src/core/enums.js";
import { DroverError } from "../../../src/errors/errors.js";
import { HandTime } from "../../support/handTime.js";
import { memoryExecutor, MemoryStore, type MemoryJob } from "./memory.js";

const fails = (): Promise<never> => Promise.reject(new DroverError("platform", "no disk"));

/** A store that notes the end of each write. */
class NotingStore extends MemoryStore {
  constructor(events: string[]) {
    super();
    const { write, writeTask, end, release } = this;
    const noting =
      <Parameters extends unknown[], Result>(name: string, work: (...parameters: Parameters) => Promise<Result>) =>
      async (...parameters: Parameters): Promise<Result> => {
        const result = await work(...parameters);
        events.push(name);
        return result;
      };
    this.write = noting("noted", write);
    this.writeTask = noting("task noted", writeTask);
    this.end = noting("ended", end);
    this.release = noting("released", release);
  }
}

describe("the engine's order", () => {
  let events: string[];
  let store: NotingStore;
  let stopping: AbortController;
  beforeEach(() => {
    events = [];
    store = new NotingStore(events);
    stopping = new AbortController();
  });

  const step = (name: string, more: Partial<Step<JobFacts>> = {}): Step<JobFacts> => ({
    name,
    weight: 1,
    ...more,
    run: async (context) => {
      events.push(`${name} done`);
      return (await more.run?.(context)) ?? {};
    },
    undo: async (context) => {
      events.push(`${name} undone`);
      return (await more.undo?.(context)) ?? null;
    },
  });
  const run = async (steps: readonly Step<JobFacts>[], job: MemoryJob = store.add(), more = {}): Promise<MemoryJob> => {
    const definition: JobDefinition = { kind: JobKind.GUEST_DELETE, steps };
    const observe = (seen: object): void => void ("status" in seen && events.push(`${String(seen.status)} reported`));
    await runJob(memoryExecutor(store, definition, { observe, stopping: stopping.signal, ...more }), job.id);
    events.push("left");
    return job;
  };
  const stops = async () => {
    stopping.abort(new Error("the worker stops"));
    return {};
  };

  it("notes a step before it is done, and the end of the job before it is reported", async () => {
    await run([step("one"), step("two")]);
    assert.deepEqual(events, ["noted", "one done", "noted", "two done", "ended", "done reported", "left"]);
  });

  it("notes a failure before anything is undone, and undoes all before the job ends", async () => {
    await run([step("one"), step("two", { run: fails })]);
    const undone = ["noted", "two undone", "one undone", "ended", "failed reported", "left"];
    assert.deepEqual(events, ["noted", "one done", "noted", "two done", ...undone]);
  });

  it("notes an effect and its task before the step goes on", async () => {
    const makes: Step<JobFacts>["run"] = async (context) => {
      await context.beginEffect("clone");
      events.push("clone begun");
      await context.rememberTask("clone", "UPID:1");
      events.push("clone followed");
      return {};
    };
    await run([step("one", { run: makes })]);
    const effect = ["noted", "clone begun", "task noted", "clone followed"];
    assert.deepEqual(events, ["noted", "one done", ...effect, "ended", "done reported", "left"]);
  });

  it("hands on the last step of a worker that stops, before the worker leaves the job", async () => {
    const job = await run([step("one"), step("two", { run: stops })]);
    assert.deepEqual(events, ["noted", "one done", "noted", "two done", "noted", "released", "left"]);
    assert.deepEqual([job.status, job.isExpired], ["running", true]);
  });

  it("leaves the rollback to the next worker when this one stops before it", async () => {
    await stops();
    const steps = new Map([["one", { name: "one", position: 0, status: "failed" as const }]]);
    const job = await run([step("one")], store.add({ facts: { failure: "no disk" }, steps }));
    assert.deepEqual(events, ["released", "left"]);
    assert.equal(job.status, "running");
  });

  it("leaves the end to the next worker when this one stops during the rollback", async () => {
    const job = await run([step("one", { run: fails, undo: async () => (await stops(), null) })]);
    assert.deepEqual(events, ["noted", "one done", "noted", "one undone", "released", "left"]);
    assert.deepEqual([job.status, job.facts.failure], ["running", "no disk"]);
  });

  it("counts a step for as much of the job as its weight", async () => {
    const job = store.add();
    const reached: unknown[] = [];
    const stopwatch = new HandTime();
    const looks: Step<JobFacts>["run"] = async (context) => {
      reached.push(job.progress);
      stopwatch.move(1_000);
      await context.progress(0.5);
      reached.push(job.progress);
      return {};
    };
    await run([step("one", { run: looks }), step("two", { weight: 3, run: looks })], job, { stopwatch });
    assert.deepEqual(reached, [0, 0.125, 0.25, 0.625]);
    assert.equal(job.progress, 1);
  });
});
