// What the engine logs of a job for the operator: one line of each failure and each interruption, and none of what is meant.
import assert from "node:assert/strict";
import { runJob } from "../../../jobs/engine/executor.js";
import { Drained, Fenced, type JobDefinition, type JobFacts, type Step } from "../../../jobs/engine/step.js";
import { JobKind } from "../../../src/core/enums.js";
import { DroverError } from "../../../src/errors/errors.js";
import { keptLog } from "../../support/log.js";
import { memoryExecutor, memoryServices, MemoryStore } from "./memory.js";

const REFUSED = new DroverError("platform", "no disk");
const DATABASE_GONE = new Error("Connection terminated unexpectedly");

const failing = (error: Error) => async (): Promise<never> => {
  throw error;
};
const ofOneStep = (step: Pick<Step<JobFacts>, "run" | "undo">): JobDefinition => ({
  kind: JobKind.GUEST_DELETE,
  steps: [{ name: "one", weight: 1, ...step }],
});

describe("the engine's log", () => {
  let store: MemoryStore;
  let stopping: AbortController;
  beforeEach(() => {
    store = new MemoryStore();
    stopping = new AbortController();
  });

  /** @returns the lines that the work on one job has left */
  const linesOf = async (definition: JobDefinition | Error): Promise<readonly string[]> => {
    const { log, lines } = keptLog();
    const definitionOf = (): JobDefinition => {
      if (definition instanceof Error) throw definition;
      return definition;
    };
    const parts = { services: { ...memoryServices(), log }, definitionOf, stopping: stopping.signal };
    await runJob({ ...memoryExecutor(store, ofOneStep({ run: async () => ({}) })), ...parts }, store.add().id);
    return lines;
  };

  it("is silent about a job that is done", async () => {
    assert.deepEqual(await linesOf(ofOneStep({ run: async () => ({}) })), []);
  });

  it("has a line of a step that failed, and one of a rollback that failed", async () => {
    assert.deepEqual(await linesOf(ofOneStep({ run: failing(REFUSED) })), ["warn: step failed"]);
    assert.deepEqual(await linesOf(ofOneStep({ run: failing(REFUSED), undo: failing(REFUSED) })), [
      "warn: step failed",
      "error: the rollback of a step failed",
    ]);
  });

  it("reports why a worker no longer works on a job", async () => {
    const interruptions = [
      [ofOneStep({ run: failing(new Fenced("lost")) }), "warn: lease lost to another worker"],
      [ofOneStep({ run: failing(new Drained("drained")) }), "info: the job waits for the end of the drain"],
      [ofOneStep({ run: failing(DATABASE_GONE) }), "warn: the job waits for the database"],
      [new TypeError("no such kind"), "error: the job was interrupted"],
    ] as const;
    for (const [definition, line] of interruptions) assert.deepEqual(await linesOf(definition), [line]);
  });

  it("is silent about a job that is handed on because the worker stops", async () => {
    const stopped = ofOneStep({
      run: async ({ signal }) => {
        stopping.abort(new Error("the worker stops"));
        throw signal.reason;
      },
    });
    assert.deepEqual(await linesOf(stopped), []);
  });

  it("has a line of a lease that cannot be released", async () => {
    store.before = (write) => {
      if (write === "release") throw DATABASE_GONE;
    };
    assert.deepEqual(await linesOf(ofOneStep({ run: failing(DATABASE_GONE) })), [
      "warn: the job waits for the database",
      "warn: lease release failed; the lease expires by itself",
    ]);
  });
});
