// The rollback of one job: which steps are undone, in which order, and what is recorded of it.
import assert from "node:assert/strict";
import { KEPT, type UndoResult } from "../../../jobs/engine/step.js";
import { JobKind } from "../../../src/core/enums.js";
import { DroverError } from "../../../src/errors/errors.js";
import type { MemoryJob } from "./memory.js";
import { failing, REFUSED, statuses, StepStage } from "./stepStage.js";

const undos = ({ steps }: MemoryJob) =>
  [...steps.values()].map(({ name, undo }) => [name, undo?.status, undo?.error].join(" ").trim());

describe("the rollback of a job by the engine", () => {
  let store: StepStage["store"];
  let ran: StepStage["ran"];
  let step: StepStage["step"];
  let definition: StepStage["definition"];
  let run: StepStage["run"];
  beforeEach(() => {
    ({ store, ran, step, definition, run } = new StepStage());
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

  it("records a step that is past undoing as kept, and nothing as left behind", async () => {
    const one = step("one");
    const kept = { ...step("two", failing(REFUSED)), undo: async (): Promise<UndoResult> => KEPT };
    const job = await run({ kind: JobKind.GUEST_DELETE, steps: [one, kept] });
    assert.deepEqual([undos(job), job.error], [["one", "two kept"], "no disk"]);
    const again = store.add({ facts: { failure: "no disk" }, steps: job.steps });
    await run({ kind: JobKind.GUEST_DELETE, steps: [one, { ...kept, undo: async () => "volume 7" }] }, again);
    assert.equal(again.error, "no disk");
  });
});
