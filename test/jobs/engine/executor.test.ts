// One job from its claim to its end: steps in order, failures and rollback, and every way in which the work is interrupted.
import assert from "node:assert/strict";
import { runJob } from "../../../jobs/engine/executor.js";
import {
  Drained,
  Fenced,
  type JobDefinition,
  type JobFacts,
  type Step,
  type StepContext,
} from "../../../jobs/engine/step.js";
import { JobKind } from "../../../src/core/enums.js";
import { DroverError } from "../../../src/errors/errors.js";
import { memoryExecutor, MemoryStore, type MemoryJob } from "./memory.js";

const REFUSED = new DroverError("platform", "no disk");

/** A step, or a rollback, that fails so. */
const failing = (error: Error) => async (): Promise<never> => {
  throw error;
};
const warnsAndFails = (context: StepContext): Promise<never> => {
  context.warn("slow");
  return failing(REFUSED)();
};
const statuses = ({ steps }: MemoryJob) => [...steps.values()].map(({ name, status }) => `${name} ${status}`);

describe("jobs/engine/executor", () => {
  let store: MemoryStore;
  let ran: string[];
  beforeEach(() => {
    store = new MemoryStore();
    ran = [];
  });

  const step = (
    name: string,
    run: Step<JobFacts>["run"] = () => Promise.resolve({}),
    more: Partial<Step<JobFacts>> = {},
  ) => ({
    name,
    weight: 1,
    ...more,
    run: (context: StepContext) => {
      ran.push(name);
      return run(context);
    },
  });
  const definition = (steps: readonly Step<JobFacts>[], undo: JobDefinition["undo"] = () => Promise.resolve(null)) => ({
    kind: JobKind.GUEST_DELETE,
    steps,
    undo: (context: StepContext) => {
      ran.push("undo");
      return undo(context);
    },
  });
  const run = async (made: JobDefinition, job: MemoryJob = store.add(), more = {}): Promise<MemoryJob> => {
    await runJob(memoryExecutor(store, made, more), job.id);
    return job;
  };

  it("runs the steps in order, hands on what they find, and ends the job", async () => {
    const seen: unknown[] = [];
    const job = await run(
      definition([
        step("one", async () => ({ undoing: "x" })),
        step("two", async ({ facts }) => (seen.push(facts.undoing), {})),
      ]),
    );
    assert.deepEqual([ran, seen, statuses(job)], [["one", "two"], ["x"], ["one done", "two done"]]);
    assert.deepEqual([job.status, job.error, job.progress], ["done", null, 1]);
  });

  it("writes the end of a step with the beginning of the next", async () => {
    await run(definition([step("one"), step("two")]));
    assert.deepEqual(store.writes, ["write", "write", "end"]);
  });

  it("goes on behind the steps that are done", async () => {
    const steps = new Map([["one", { name: "one", position: 0, status: "done" as const }]]);
    await run(definition([step("one"), step("two")]), store.add({ steps }));
    assert.deepEqual(ran, ["two"]);
  });

  it("rolls back when a step fails, and ends the job with the reason", async () => {
    const job = await run(definition([step("one"), step("two", failing(REFUSED)), step("three")]));
    assert.deepEqual(ran, ["one", "two", "undo"]);
    assert.deepEqual([job.status, job.error, job.facts.failure], ["failed", "no disk", "no disk"]);
    assert.deepEqual(statuses(job), ["one done", "two failed"]);
  });

  it("only rolls back once a failure is on record", async () => {
    const job = await run(definition([step("one")]), store.add({ facts: { failure: "no disk" } }));
    assert.deepEqual([ran, job.error], [["undo"], "no disk"]);
  });

  it("names what the rollback has left behind", async () => {
    const job = await run(definition([step("one", failing(REFUSED))], async () => "guest 100"));
    assert.match(job.error ?? "", /no disk.*guest 100/);
  });

  it("ends a job whose rollback fails too", async () => {
    const job = await run(definition([step("one", failing(REFUSED))], failing(new DroverError("platform", "locked"))));
    assert.equal(job.status, "failed");
    assert.match(job.error ?? "", /no disk.*locked/);
  });

  it("shows no message of an internal error", async () => {
    const job = await run(definition([step("one", failing(new TypeError("undefined is not a function")))]));
    assert.doesNotMatch(job.error ?? "", /undefined/);
    assert.match(job.error ?? "", /internal error/);
  });

  it("goes on after a step that may fail with a warning", async () => {
    const job = await run(definition([step("one", warnsAndFails, { onError: "warn" }), step("two")]));
    assert.deepEqual([job.status, statuses(job)], ["done", ["one warned", "two done"]]);
    assert.equal(job.steps.get("one")?.error, "slow; no disk");
  });

  it("records a step that did its work in spite of something as warned", async () => {
    const job = await run(definition([step("one", async (context) => (context.warn("slow"), {}))]));
    assert.deepEqual([job.status, job.steps.get("one")?.status], ["done", "warned"]);
  });

  it("does nothing for a job that is not free", async () => {
    for (const status of ["running", "done", "failed"] as const) {
      await run(definition([step("one")]), store.add({ status, isExpired: false }));
    }
    assert.deepEqual([ran, store.writes], [[], []]);
  });

  it("parks a job that cannot be read, and does nothing of it", async () => {
    const job = await run(definition([step("one")]), store.add({ version: 999 }));
    assert.deepEqual([ran, job.isParked, job.status], [[], true, "failed"]);
  });

  it("tells how long a job waited at its first claim, and how it ended", async () => {
    const seen: object[] = [];
    const observe = (event: object): void => void seen.push(event);
    const job = await run(definition([step("one")]), store.add(), { observe });
    await run(definition([step("one", failing(REFUSED))]), store.add({ leaseEpoch: 3 }), { observe });
    assert.deepEqual(seen, [
      { kind: job.kind, pickedUpAfterSeconds: 2 },
      { kind: job.kind, status: "done" },
      { kind: job.kind, status: "failed" },
    ]);
  });

  describe("when it is interrupted", () => {
    it("hands on a job whose worker stops, with the step that it has just done", async () => {
      const stopping = new AbortController();
      const stops = async () => (stopping.abort(new Error("stops")), {});
      const job = await run(definition([step("one", stops), step("two")]), store.add(), { stopping: stopping.signal });
      assert.deepEqual([ran, statuses(job), job.status, job.isExpired], [["one"], ["one done"], "running", true]);
    });

    it("returns a job to its queue while work is drained", async () => {
      const job = await run(definition([step("one", failing(new Drained("drained")))]));
      assert.deepEqual([job.status, job.facts.failure], ["queued", undefined]);
    });

    it("hands on a job when the database fails it, and records no failure", async () => {
      const job = await run(definition([step("one", failing(new Error("Connection terminated unexpectedly")))]));
      assert.deepEqual([job.status, job.isExpired, job.facts.failure], ["running", true, undefined]);
    });

    it("leaves a job alone that another worker has taken over", async () => {
      const job = store.add();
      const loses = async (context: StepContext) => {
        store.takeOver(job);
        await context.remember({ undoing: "x" });
        return {};
      };
      await run(definition([step("one", loses), step("two")]), job);
      assert.deepEqual([ran, job.status, job.isExpired, job.facts], [["one"], "running", false, {}]);
      assert.ok(!store.writes.includes("release"));
    });

    it("ends the work on a job when a renewal is refused", async () => {
      const job = store.add();
      const waits = (context: StepContext) => {
        store.takeOver(job);
        return new Promise<never>((_, reject) =>
          context.signal.addEventListener("abort", () => reject(context.signal.reason)),
        );
      };
      const { services } = memoryExecutor(store, definition([]));
      const brief = { ...services, config: { ...services.config, leaseSeconds: 0.03 } };
      await run(definition([step("one", waits), step("two")]), job, { services: brief });
      assert.deepEqual([ran, job.status, job.facts], [["one"], "running", {}]);
    });

    it("does not roll back what another worker goes on with", async () => {
      const job = store.add();
      const loses = async () => {
        store.takeOver(job);
        throw REFUSED;
      };
      await run(definition([step("one", loses)]), job);
      assert.deepEqual([ran, job.status, job.facts.failure], [["one"], "running", undefined]);
    });

    it("does not take a failing rollback for done when the worker was fenced off", async () => {
      const job = await run(definition([step("one", failing(REFUSED))], failing(new Fenced("lost"))));
      assert.deepEqual([job.status, job.facts.failure], ["running", "no disk"]);
    });
  });
});
