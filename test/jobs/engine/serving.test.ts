// Slots served for a scheduler: everything that is due is worked on, also what becomes due meanwhile, and a job that stays due is left.
import assert from "node:assert/strict";
import { Serving } from "../../../jobs/engine/serving.js";
import { Drained, type Step, type JobFacts } from "../../../jobs/engine/step.js";
import { JobKind } from "../../../src/core/enums.js";
import { until } from "../../support/until.js";
import { memoryExecutor, MemoryStore } from "./memory.js";

describe("jobs/engine/serving", () => {
  let store: MemoryStore;
  beforeEach(() => {
    store = new MemoryStore();
  });
  const serving = (run: Step<JobFacts>["run"], mostAttempts = 3, stopping = new AbortController().signal): Serving => {
    const definition = { kind: JobKind.GUEST_DELETE, steps: [{ name: "one", weight: 1, run }] };
    return new Serving(memoryExecutor(store, definition, { stopping }), ["run-job"], { mostAttempts });
  };
  const statuses = () => [...store.jobs.values()].map(({ status }) => status);

  it("ends when nothing is due, and reports how many jobs it worked on", async () => {
    for (let made = 0; made < 40; made++) store.add();
    assert.equal(await serving(async () => ({})).untilIdle(), 40);
    assert.ok(statuses().every((status) => status === "done"));
  });

  it("ends at once when there is nothing to do", async () => {
    assert.equal(await serving(async () => ({})).untilIdle(), 0);
  });

  it("works on jobs that become due while it works", async () => {
    store.add();
    const makesOne = async () => {
      if (store.jobs.size < 5) store.add();
      return {};
    };
    assert.equal(await serving(makesOne).untilIdle(), 5);
  });

  it("leaves a job that is due again and again to the next worker", async () => {
    const job = store.add();
    assert.equal(await serving(() => Promise.reject(new Drained("drained"))).untilIdle(), 1);
    assert.deepEqual([job.status, job.leaseEpoch], ["queued", 3]);
  });

  it("ends when the worker stops, and hands its jobs on", async () => {
    const job = store.add();
    const stopping = new AbortController();
    const waits: Step<JobFacts>["run"] = ({ signal }) => {
      stopping.abort(new Error("stops"));
      return Promise.reject(signal.reason);
    };
    const all = serving(waits, 3, stopping.signal);
    await all.untilIdle();
    await all.ended();
    assert.deepEqual([job.status, job.isExpired], ["running", true]);
  });

  it("fails with what claiming throws", async () => {
    store.claimDue = () => Promise.reject(new Error("Connection terminated unexpectedly"));
    await assert.rejects(serving(async () => ({})).untilIdle(), /Connection terminated/);
  });

  it("looks for due jobs of its own accord: entries of the queue may be lost", async () => {
    store.add();
    const stopping = new AbortController();
    const looking = await serving(async () => ({})).start({ serve: () => Promise.resolve() }, stopping.signal);
    await until("the job is done", () => statuses()[0] === "done");
    stopping.abort();
    await looking();
  });

  it("waits for the end of its jobs, and for no longer than it is given", async () => {
    store.add();
    const end = Promise.withResolvers<object>();
    const all = serving(() => end.promise);
    const idle = all.untilIdle();
    await until("the job is at work", () => statuses()[0] === "running");
    await all.ended(0);
    assert.deepEqual(statuses(), ["running"]);
    const ended = all.ended();
    end.resolve({});
    await ended;
    assert.deepEqual(statuses(), ["done"]);
    await idle;
  });

  it("fills its slots when an entry of the queue arrives", async () => {
    const entries: (() => Promise<void>)[] = [];
    const stopping = new AbortController();
    const all = serving(async () => ({}));
    const looking = await all.start({ serve: async (_, woken) => void entries.push(woken) }, stopping.signal);
    store.add();
    await entries[0]?.();
    await all.ended();
    assert.deepEqual(statuses(), ["done"]);
    stopping.abort();
    await looking();
  });
});
