// One job from its claim to its end: steps in order, failures, and every way in which the work is interrupted.
import assert from "node:assert/strict";
import { Drained, Fenced, type StepContext } from "../../../jobs/engine/step.js";
import { DroverError } from "../../../src/errors/errors.js";
import { HandTime } from "../../support/handTime.js";
import { failing, REFUSED, statuses, StepStage } from "./stepStage.js";

const warnsAndFails = (context: StepContext): Promise<never> => {
  context.warn("slow");
  return failing(REFUSED)();
};

describe("jobs/engine/executor", () => {
  let store: StepStage["store"];
  let ran: StepStage["ran"];
  let step: StepStage["step"];
  let definition: StepStage["definition"];
  let run: StepStage["run"];
  beforeEach(() => {
    ({ store, ran, step, definition, run } = new StepStage());
  });

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
