// A worker that a schedule starts does not leave what it has begun, also when the database fails it.
import assert from "node:assert/strict";
import type { JobStore } from "../../../src/store/job/store.js";
import { workUntilIdle } from "../../../jobs/engine/worker.js";
import { silentQueue } from "../queue/backends.js";
import { jobRow, machineRequest, openStage, queueGuest, type Stage } from "../creation.js";
import { executorFor } from "../killing.js";

describe("jobs/engine/worker", () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage.close());

  it("ends with its jobs when it cannot look for more of them", async () => {
    const { services } = stage;
    const { jobId } = await queueGuest(stage, machineRequest(stage));
    const executor = executorFor(services, "scheduled");
    let looks = 0;
    const claimDue: JobStore["claimDue"] = (...parameters) =>
      ++looks === 2
        ? Promise.reject(new Error("Connection terminated unexpectedly"))
        : executor.store.claimDue(...parameters);
    const working = workUntilIdle(
      { ...executor, store: { ...executor.store, claimDue } },
      { queues: ["jobs"], queue: silentQueue },
    );
    await assert.rejects(working, /Connection terminated/);
    assert.equal((await jobRow(stage, jobId))["status"], "done");
  });
});
