// Draining the work: what runs ends, what waits is not begun, a run stops between two guests, and all goes on when the drain ends.
import assert from "node:assert/strict";
import { beginDrain, drainOf, endDrain, runningJobs } from "../../../src/actions/drain.js";
import { startEvacuation } from "../../../src/actions/run/evacuation.js";
import { JobKind } from "../../../src/core/enums.js";
import { metrics } from "../../../src/observability/metrics.js";
import { runJob } from "../../../jobs/engine/executor.js";
import { claim, claimDue } from "../../../jobs/engine/lease.js";
import { register, unregister } from "../../../jobs/engine/registration.js";
import { keptLog } from "../../support/log.js";
import { fromNow, plant } from "../../support/rows.js";
import { createTestServices, type TestServices } from "../../support/services.js";
import { executorFor, openRunStage, type RunStage } from "../run/stage.js";
import { until } from "../../support/until.js";

describe("jobs/engine/drain", () => {
  let services: TestServices;
  before(async () => {
    services = await createTestServices();
    await plant(services.pool, {
      host: [{}],
      job: [
        { kind: "guest_delete" },
        { kind: "guest_delete", status: "running", lease_until: fromNow(-1), worker: "dead" },
        { kind: "guest_delete", status: "running", lease_until: fromNow(3600), worker: "alive" },
      ],
    });
  });
  after(() => services.close());

  const drain = () => beginDrain(services.pool, "ann on pc1");
  const claimed = async (): Promise<number[]> => {
    const jobs = await claimDue(executorFor(services), { kinds: [JobKind.GUEST_DELETE], most: 10 });
    return jobs.map(({ id }) => id);
  };

  it("has jobs whose worker died finished, and begins none", async () => {
    const { begunBy } = await drain();
    assert.equal(begunBy, "ann on pc1");
    assert.deepEqual(await claimed(), [2]);
    assert.equal(await claim(executorFor(services), 1), null);
    assert.deepEqual(
      (await runningJobs(services.pool)).map(({ id }) => id),
      [2, 3],
    );
  });

  it("stays the first one's when it is begun again", async () => {
    assert.equal((await beginDrain(services.pool, "bob on pc2")).begunBy, "ann on pc1");
  });

  it("is reported by each worker, in its metrics too", async () => {
    const worker = { name: "worker", queues: [], duties: [] };
    await register(services, worker);
    assert.match(await metrics.getSingleMetricAsString("drover_draining"), /drover_draining 1/);
    await endDrain(services.pool);
    await register(services, worker);
    assert.match(await metrics.getSingleMetricAsString("drover_draining"), /drover_draining 0/);
    await unregister(services, worker);
  });

  it("ends: then what waited is begun", async () => {
    await drain();
    assert.equal((await endDrain(services.pool))?.begunBy, "ann on pc1");
    assert.equal(await endDrain(services.pool), null);
    assert.equal(await drainOf(services.pool), null);
    assert.deepEqual(await claimed(), [1]);
  });
});

describe("a run while work is drained", () => {
  let stage: RunStage;
  before(async () => {
    stage = await openRunStage();
  });
  after(() => stage.close());

  it("finishes the guest that it is at, waits, and goes on with the next when the drain ends", async () => {
    const { pool } = stage.services;
    const guestIds = await stage.place([{ vmid: 501 }, { vmid: 502 }]);
    const runId = await startEvacuation(stage.context, { hostId: stage.hostIds[0], guestIds });
    const jobId = await stage.jobOf(runId);
    const { log, lines } = keptLog();
    const working = runJob(executorFor({ ...stage.services, log }), jobId);
    const move = async (): Promise<number | undefined> => {
      const { rows } = await pool.query<{ id: number }>(
        `select m.job_id as id from migration m join run_item i on i.migration_id = m.id where m.status = 'queued'`,
      );
      return rows[0]?.id;
    };
    await until("a move is queued", move);
    await beginDrain(pool, "ann");
    const taken = await claimDue(executorFor(stage.services), { kinds: [JobKind.MIGRATION], most: 10 });
    assert.deepEqual(
      taken.map(({ id }) => id),
      [await pool.query<{ id: number }>(`select job_id as id from migration`).then(({ rows }) => rows[0]?.id)],
      "the move that the run is at is begun",
    );
    await pool.query(`update job set status = 'queued', worker = null, lease_until = null where kind = 'migration'`);
    await stage.carryOutDuring(working);
    const statuses = async (): Promise<unknown[]> => (await stage.items(runId)).map(({ status }) => status);
    assert.deepEqual(await statuses(), ["done", "waiting"]);
    const { rows } = await pool.query(`select status, worker from job where id = $1`, [jobId]);
    assert.deepEqual(rows, [{ status: "queued", worker: null }]);
    assert.ok(lines.includes("info: the job waits for the end of the drain"), lines.join("\n"));
    assert.deepEqual(
      lines.filter((line) => line.includes("is taken again")),
      [],
    );
    assert.deepEqual(await runningJobs(pool), []);
    assert.deepEqual(await claimDue(executorFor(stage.services), { kinds: [JobKind.EVACUATION], most: 10 }), []);
    await endDrain(pool);
    await stage.finish(runId);
    assert.deepEqual(await statuses(), ["done", "done"]);
  });
});
