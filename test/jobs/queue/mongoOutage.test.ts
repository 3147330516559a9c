// A queue on MongoDB that goes away, or loses its data, while the service runs: nothing waits for it, everything is done, and it says so.
import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { connectQueue, type JobQueue } from "../../../jobs/queue/queue.js";
import { watchQueue, type QueueWatch } from "../../../jobs/queue/queueWatch.js";
import type { Worker } from "../../../jobs/engine/worker.js";
import { startWorker } from "../../../jobs/worker.js";
import { JobKind } from "../../../src/core/enums.js";
import { WorkQueue } from "../../../src/core/workQueue.js";
import { metrics, type JobObservation } from "../../../src/observability/metrics.js";
import { eventually } from "../../support/eventually.js";
import { silentLog } from "../../support/log.js";
import { MongoStandIn } from "../../support/mongo/standIn.js";
import { machineRequest, openStage, queueGuest, type Stage } from "../creation.js";

const LOOK_MS = 50;

const figure = async (name: string): Promise<number> =>
  Number(new RegExp(`^${name} (\\S+)$`, "m").exec(await metrics.metrics())?.[1]);

describe("a job queue on MongoDB that is lost while it is used", () => {
  let stage: Stage;
  let mongo: MongoStandIn;
  let queue: JobQueue;
  let worker: Worker;
  let watch: QueueWatch;
  const ended = new EventEmitter();
  before(async () => {
    stage = await openStage();
    mongo = await MongoStandIn.start({ replicaSet: "rs0" });
    const mongodbUri = `mongodb://127.0.0.1:${mongo.port}/queue?replicaSet=rs0`;
    queue = await connectQueue({ databaseUrl: "", mongodbUri, name: "test" }, silentLog);
    watch = watchQueue(queue, silentLog, LOOK_MS);
    worker = await startWorker(stage.services, queue, {
      queues: [WorkQueue.JOBS],
      observe: (event: JobObservation) => "status" in event && ended.emit("job", event.status),
    });
  });
  after(async () => {
    await worker.stop();
    await watch.stop();
    await queue.close();
    await mongo.close();
    await stage.close();
  });

  const make = async (vmid: number): Promise<void> => {
    const { jobId } = await queueGuest(stage, machineRequest(stage, { vmid, memoryMb: 64, diskGb: 2 }));
    const end = once(ended, "job");
    const given: unknown = queue.wake({ id: jobId, kind: JobKind.GUEST_CREATE });
    assert.equal(given, undefined, "there is nothing that a creation could wait for");
    assert.deepEqual(await end, ["done"]);
  };

  it("runs jobs while it is away, and reports that it is away and how many wake-ups were lost", async () => {
    await make(300);
    assert.equal(watch.fault, null);
    assert.equal(await figure("drover_queue_up"), 1);
    const lost = await figure("drover_wake_ups_lost_total");
    const { port } = mongo;
    await mongo.goAway();
    await make(301);
    await eventually(async () => assert.ok(watch.fault !== null));
    assert.equal(await figure("drover_queue_up"), 0);
    await eventually(async () => assert.ok((await figure("drover_wake_ups_lost_total")) > lost));
    await mongo.listen(port);
    await eventually(async () => assert.equal(watch.fault, null));
    assert.equal(await figure("drover_queue_up"), 1);
    await make(302);
  });

  it("wakes workers again after its collection was dropped, and its change stream with it", async () => {
    await make(303);
    await eventually(async () => assert.ok(mongo.followers > 0));
    mongo.drop("agendaJobs");
    await eventually(async () => assert.ok(mongo.followers > 0));
    const asked = mongo.asked.length;
    const woken = new EventEmitter();
    await queue.serve("run-moves", () => Promise.resolve(void woken.emit("moves")));
    const moves = once(woken, "moves");
    queue.wake({ id: 1, kind: JobKind.EVACUATION });
    await moves;
    await make(304);
    const streams = mongo.asked.slice(asked).filter((name) => name === "aggregate").length;
    assert.ok(streams <= 1, `the stream was opened ${streams} times`);
  });
});
