// A worker from its start to its end: it is on record meanwhile, and leaves nothing that it has begun, also when the database fails it.
import assert from "node:assert/strict";
import type { JobStore } from "../../../src/store/jobStore.js";
import { startWorker, workUntilIdle } from "../../../jobs/engine/worker.js";
import { silentQueue } from "../queue/backends.js";
import { jobRow, machineRequest, openStage, queueGuest, type Stage } from "../creation.js";
import { executorFor } from "../killing.js";

describe("jobs/engine/worker", () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage.close());

  const workers = async (): Promise<unknown[]> => {
    const { rows } = await stage.services.pool.query(`select name, queues, duties from worker`);
    return rows;
  };

  it("is on record from its start until it is stopped, and ends when its rounds have ended", async () => {
    const ended = Promise.withResolvers<void>();
    const round = (stopping: AbortSignal): Promise<void> => {
      stopping.addEventListener("abort", () => ended.resolve());
      return ended.promise;
    };
    const work = { queues: ["jobs"], duties: ["sweep"], queue: silentQueue, rounds: [round] } as const;
    const worker = await startWorker(executorFor(stage.services, "standing"), work);
    assert.deepEqual(await workers(), [{ name: "standing", queues: ["jobs"], duties: ["sweep"] }]);
    await worker.stop();
    await ended.promise;
    assert.deepEqual(await workers(), []);
  });

  it("works on what is due when it starts, and stays on record as the last that did, when a schedule starts it", async () => {
    const { jobId } = await queueGuest(stage, machineRequest(stage, { vmid: 121 }));
    const executor = executorFor(stage.services, "scheduled");
    assert.equal(await workUntilIdle(executor, { queues: ["jobs"], queue: silentQueue }), 1);
    assert.equal((await jobRow(stage, jobId))["status"], "done");
    assert.deepEqual(await workers(), [{ name: "scheduled", queues: ["jobs"], duties: [] }]);
  });

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
