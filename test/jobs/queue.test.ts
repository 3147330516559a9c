// The queue's contract, on PostgreSQL and, where `TEST_MONGODB_URI` names a server, on MongoDB: wake-ups, forgotten jobs, many wake-ups.
import assert from "node:assert/strict";
import { once, EventEmitter } from "node:events";
import { connectQueue, type JobQueue } from "../../jobs/queue.js";
import { startWorker, type Worker } from "../../jobs/worker.js";
import type { JobObservation } from "../../src/metrics.js";
import { JobKind } from "../../src/core/enums.js";
import { WorkQueue } from "../../src/core/workQueue.js";
import { silentLog } from "../support/log.js";
import { jobRow, machineRequest, openStage, queueGuest, type Stage } from "./creation.js";

const backends = [
  { name: "PostgreSQL", mongodbUri: undefined },
  { name: "MongoDB", mongodbUri: process.env["TEST_MONGODB_URI"] },
];

for (const { name: backend, mongodbUri } of backends) {
  const describeWhereIs = backend === "MongoDB" && mongodbUri === undefined ? describe.skip : describe;
  describeWhereIs(`the job queue on ${backend}`, () => {
    let stage: Stage;
    let queue: JobQueue;
    let worker: Worker;
    const ended = new EventEmitter();

    before(async () => {
      stage = await openStage();
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
      await stage.close();
    });

    it("runs a job when a worker is woken for it", async () => {
      const { jobId } = await queueGuest(stage, machineRequest(stage, { vmid: 200, memoryMb: 64, diskGb: 2 }));
      const end = once(ended, "job");
      await queue.wake({ id: jobId, kind: JobKind.GUEST_CREATE });
      assert.deepEqual(await end, ["done"]);
    });

    it("tells whoever serves a queue", async () => {
      const told = new EventEmitter();
      await queue.serve("run-moves", () => Promise.resolve(void told.emit("woken")));
      const woken = once(told, "woken");
      await queue.wake({ id: 1, kind: JobKind.EVACUATION });
      await woken;
    });

    it("finds a job for which nobody was woken", async () => {
      await queueGuest(stage, machineRequest(stage, { vmid: 201, memoryMb: 64, diskGb: 2 }));
      const end = once(ended, "job");
      // As if the process that made it had died before it woke anybody.
      assert.deepEqual(await end, ["done"]);
    });

    it("runs a job once although it was woken for it many times", async () => {
      const { jobId } = await queueGuest(stage, machineRequest(stage, { vmid: 202, memoryMb: 64, diskGb: 2 }));
      const end = once(ended, "job");
      await Promise.all(Array.from({ length: 10 }, () => queue.wake({ id: jobId, kind: JobKind.GUEST_CREATE })));
      await end;
      assert.equal((await jobRow(stage, jobId))["attempts"], 1);
    });
  });
}
