// One job from its claim to its end: steps in order, failures and rollback, and every way in which the work is interrupted.
import assert from "node:assert/strict";
import { runJob } from "../../../jobs/engine/executor.js";
import {
  Drained,
  Fenced,
  KEPT,
  type JobDefinition,
  type JobFacts,
  type Step,
  type StepContext,
  type UndoResult,
} from "../../../jobs/engine/step.js";
import { JobKind } from "../../../src/core/enums.js";
import { DroverError } from "../../../src/errors/errors.js";
import { HandTime } from "../../support/handTime.js";
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
const undos = ({ steps }: MemoryJob) =>
  [...steps.values()].map(({ name, undo }) => [name, undo?.status, undo?.error].join(" ").trim());

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
  /** Of steps that can be undone. */
  const definition = (steps: readonly Step<JobFacts>[]): JobDefinition => ({
    kind: JobKind.GUEST_DELETE,
    steps: steps.map((each) => ({
      ...each,
      async undo(context) {
        ran.push(`undo ${each.name}`);
        return (await each.undo?.(context)) ?? null;
      },
    })),
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

  it("undoes the steps that began when one fails, the last one first, and ends the job with the reason", async () => {
    const job = await run(definition([step("one"), step("two", failing(REFUSED)), step("three")]));
    assert.deepEqual(ran, ["one", "two", "undo two", "undo one"]);
    assert.deepEqual([job.status, job.error, job.facts.failure], ["failed", "no disk", "no disk"]);
    assert.deepEqual(statuses(job), ["one done", "two failed"]);
  });

  it("only rolls back once a failure is on record, as far as the job has come", async () => {
    const steps = new Map([
      ["one", { name: "one", position: 0, status: "done" as const }],
      ["two", { name: "two", position: 1, status: "failed" as const }],
    ]);
    const job = store.add({ facts: { failure: "no disk" }, steps });
    await run(definition([step("one"), step("two"), step("three")]), job);
    assert.deepEqual([ran, job.error], [["undo two", "undo one"], "no disk"]);
  });

  it("does not undo a step that never began, though a later one did", async () => {
    const steps = new Map([["two", { name: "two", position: 1, status: "failed" as const }]]);
    await run(definition([step("one"), step("two")]), store.add({ facts: { failure: "no disk" }, steps }));
    assert.deepEqual(ran, ["undo two"]);
  });

  it("records the begin of each undo, and its end with what it left behind", async () => {
    const one = step("one", undefined, { undo: async () => "guest 100" });
    const job = await run(definition([one, step("two", failing(REFUSED))]));
    const ofUndo = ["undo two running", "undo two done", "undo one running", "undo one failed"];
    assert.deepEqual(store.writes, ["write", "write", "write", ...ofUndo, "end"]);
    assert.deepEqual(undos(job), ["one failed guest 100", "two done"]);
  });

  it("undoes a step that was interrupted, when one before it is run again and fails", async () => {
    const steps = new Map([["two", { name: "two", position: 1, status: "running" as const }]]);
    const job = await run(definition([step("one", failing(REFUSED)), step("two")]), store.add({ steps }));
    assert.deepEqual([ran, job.error], [["one", "undo two", "undo one"], "no disk"]);
    assert.deepEqual(undos(job), ["two done", "one done"]);
  });

  it("records no undo of steps that cannot be undone", async () => {
    const steps = [step("one"), step("two", failing(REFUSED))];
    const job = await run({ kind: JobKind.GUEST_DELETE, steps });
    assert.deepEqual([undos(job), job.error], [["one", "two"], "no disk"]);
  });

  it("repeats the undo that the worker before was at, and none that has ended", async () => {
    const steps = new Map([
      ["one", { name: "one", position: 0, status: "done" as const }],
      ["two", { name: "two", position: 1, status: "done" as const, undo: { status: "running" as const, error: null } }],
      [
        "three",
        {
          name: "three",
          position: 2,
          status: "failed" as const,
          undo: { status: "failed" as const, error: "volume 7" },
        },
      ],
    ]);
    const job = store.add({ facts: { failure: "no disk" }, steps });
    await run(definition([step("one"), step("two"), step("three")]), job);
    assert.deepEqual([ran, job.error], [["undo two", "undo one"], "no disk; left behind: volume 7"]);
    assert.deepEqual(undos(job), ["one done", "two done", "three failed volume 7"]);
  });

  it("undoes nothing when nothing began", async () => {
    const job = await run(definition([step("one")]), store.add({ facts: { failure: "no disk" } }));
    assert.deepEqual([ran, job.error], [[], "no disk"]);
  });

  it("names everything that the rollback has left behind", async () => {
    const one = step("one", undefined, { undo: async () => "guest 100" });
    const two = step("two", failing(REFUSED), { undo: async () => "volume 7" });
    const job = await run(definition([one, two]));
    assert.equal(job.error, "no disk; left behind: volume 7; guest 100");
  });

  it("undoes the other steps and ends the job when the rollback of one fails", async () => {
    const two = step("two", failing(REFUSED), { undo: failing(new DroverError("platform", "locked")) });
    const job = await run(definition([step("one"), two]));
    assert.deepEqual([ran, job.status], [["one", "two", "undo two", "undo one"], "failed"]);
    assert.equal(job.error, "no disk; left behind: locked");
  });

  it("reports where it failed, unless the error does already", async () => {
    const [host, place] = [{ hostName: "rack2", node: "pve2" }, "node pve3 of host rack3"];
    const placed = new DroverError("platform", `${place}: no disk`, { place });
    for (const [refusal, job, told] of [
      [REFUSED, host, "node pve2 of host rack2: no disk"],
      [REFUSED, { ...host, node: null }, "host rack2: no disk"],
      [placed, host, "node pve3 of host rack3: no disk"],
    ] as const) {
      const { error } = await run(definition([step("one", failing(refusal))]), store.add(job));
      assert.equal(error, told);
    }
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

  it("reports how long a job waited at its first claim, and how it ended", async () => {
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

  it("parks a job whose journal does not fit its steps, instead of coming to the same point for ever", async () => {
    const undo = { status: "done", error: null } as const;
    const steps = new Map([["one", { name: "one", position: 0, status: "done" as const, undo }]]);
    const job = await run(definition([step("one"), step("two")]), store.add({ steps }));
    assert.deepEqual([ran, job.isParked, job.status], [[], true, "failed"]);
    assert.match(job.error ?? "", /journal does not fit/);
  });

  it("records a step that is past undoing as kept, and nothing as left behind", async () => {
    const one = step("one");
    const kept = { ...step("two", failing(REFUSED)), undo: async (): Promise<UndoResult> => KEPT };
    const job = await run({ kind: JobKind.GUEST_DELETE, steps: [one, kept] });
    assert.deepEqual([undos(job), job.error], [["one", "two kept"], "no disk"]);
    const again = store.add({ facts: { failure: "no disk" }, steps: job.steps });
    await run({ kind: JobKind.GUEST_DELETE, steps: [one, { ...kept, undo: async () => "volume 7" }] }, again);
    assert.equal(again.error, "no disk");
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
      const stopwatch = new HandTime();
      const running = run(definition([step("one", waits), step("two")]), job, { stopwatch });
      await stopwatch.waitsFor(10_000);
      stopwatch.move(10_000);
      await running;
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
      const one = step("one", failing(REFUSED), { undo: failing(new Fenced("lost")) });
      const job = await run(definition([one]));
      assert.deepEqual([job.status, job.facts.failure], ["running", "no disk"]);
    });
  });
});
