// The queue's contract, on PostgreSQL and on MongoDB: wake-ups, forgotten jobs, many wake-ups.
import assert from "node:assert/strict";
import { once, EventEmitter } from "node:events";
import { connectQueue, type JobQueue } from "../../../jobs/queue/queue.js";
import type { Worker } from "../../../jobs/engine/worker.js";
import { startWorker } from "../../../jobs/worker.js";
import type { JobObservation } from "../../../src/observability/metrics.js";
import { JobKind } from "../../../src/core/enums.js";
import { WorkQueue } from "../../../src/core/workQueue.js";
import { silentLog } from "../../support/log.js";
import { backends, type Server } from "./backends.js";
import { jobRow, machineRequest, openStage, queueGuest, type Stage } from "../creation.js";

for (const [backend, start] of Object.entries(backends)) {
  describe(`the job queue on ${backend}`, () => {
    let server: Awaited<ReturnType<Server>>;
    let stage: Stage;
    let queue: JobQueue;
    let worker: Worker;
    const ended = new EventEmitter();

    before(async () => {
      stage = await openStage();
      server = await start();
      const { mongodbUri } = server;
      const databaseUrl = stage.services.database.url;
      queue = await connectQueue({ databaseUrl, mongodbUri, name: "test" }, silentLog);
      worker = await startWorker(stage.services, queue, {
        queues: [WorkQueue.JOBS],
        observe(event: JobObservation) {
          if ("status" in event) ended.emit("job", event.status);
        },
      });
    });
    after(async () => {
      await worker.stop();
      await queue.close();
      await server.end();
      await stage.close();
    });

    it("runs a job when a worker is woken for it", async () => {
      const { jobId } = await queueGuest(stage, machineRequest(stage, { vmid: 200, memoryMb: 64, diskGb: 2 }));
      const end = once(ended, "job");
      queue.wake({ id: jobId, kind: JobKind.GUEST_CREATE });
      assert.deepEqual(await end, ["done"]);
    });

    it("wakes the process that serves a queue", async () => {
      const told = new EventEmitter();
      await queue.serve("run-moves", () => Promise.resolve(void told.emit("woken")));
      const woken = once(told, "woken");
      queue.wake({ id: 1, kind: JobKind.EVACUATION });
      await woken;
    });

    it("finds a job for which no process was woken", async () => {
      await queueGuest(stage, machineRequest(stage, { vmid: 201, memoryMb: 64, diskGb: 2 }));
      const end = once(ended, "job");
      // As if the process that made it had died before it woke anybody.
      assert.deepEqual(await end, ["done"]);
    });

    it("runs a job once although it was woken for it many times", async () => {
      const { jobId } = await queueGuest(stage, machineRequest(stage, { vmid: 202, memoryMb: 64, diskGb: 2 }));
      const end = once(ended, "job");
      for (let wakeUp = 1; wakeUp <= 10; wakeUp++) queue.wake({ id: jobId, kind: JobKind.GUEST_CREATE });
      await end;
      assert.equal((await jobRow(stage, jobId))["attempts"], 1);
    });
  });
}
