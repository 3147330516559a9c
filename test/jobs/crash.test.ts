// A worker that dies before or after any of its writes: whoever comes next finishes the creation, once.
import assert from "node:assert/strict";
import { runJob } from "../../jobs/engine/executor.js";
import { record } from "../../jobs/guestCreate/record.js";
import { claim } from "../../jobs/engine/lease.js";
import { openClaim } from "../../jobs/engine/openClaim.js";
import { Fenced } from "../../jobs/engine/step.js";
import { JobContext } from "../../jobs/engine/context.js";
import { holdings, jobRow, machineRequest, openStage, queueGuest, type Stage } from "./creation.js";
import { executorFor, losingPool, MOMENTS, runKilled, stallingPool, tasksOf } from "./killing.js";
import { places, triedOf } from "./places.js";
import { plant } from "../support/rows.js";

/** Too many wait for a connection; a standby is to take over; the disk is full; another transaction was in the way. */
const TROUBLES = [
  new Error("too many wait for a database connection"),
  ...["25006", "53100", "40001"].map((code) => Object.assign(new Error("not now"), { code })),
];

describe("a creation whose worker is killed", () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage.close());

  for (const moment of MOMENTS) {
    it(`is finished exactly once when the worker dies ${moment} any of its writes`, async function () {
      this.timeout(1_800_000);
      let vmid = moment === "before" ? 1000 : 2000;
      for (const write of places()) {
        const clones = tasksOf(stage, "qmclone");
        const { jobId } = await queueGuest(stage, machineRequest(stage, { vmid, memoryMb: 64, diskGb: 2 }));
        const died = await runKilled(stage, jobId, { write, moment });
        const where = `killed ${moment} write ${write}`;
        const job = await jobRow(stage, jobId);
        assert.equal(job["error"], null, where);
        assert.equal(job["status"], "done", where);
        assert.notEqual(stage.host.platform.state.guests.get(vmid)?.runtime ?? null, null, `${where}: the guest runs`);
        assert.equal(tasksOf(stage, "qmclone") - clones, 1, `${where}: cloned once`);
        assert.equal(await holdings(stage), 0, where);
        if (!died) break;
        vmid++;
      }
      assert.ok(vmid % 1000 >= triedOf(10), "the worker was killed at many places");
    });
  }

  it("is finished exactly once when the database cannot serve at any of its writes", async function () {
    this.timeout(1_800_000);
    let vmid = 2500;
    for (let write = 1, refused = true; refused; write++, vmid++) {
      const clones = tasksOf(stage, "qmclone");
      const { jobId } = await queueGuest(stage, machineRequest(stage, { vmid, memoryMb: 64, diskGb: 2 }));
      const { pool, lost } = losingPool(
        stage.services.pool,
        { write, moment: "before" },
        TROUBLES[write % TROUBLES.length],
      );
      await runJob(executorFor({ ...stage.services, pool }, "refused"), jobId).catch((error: unknown) => {
        if (!lost()) throw error;
      });
      refused = lost();
      await stage.services.pool.query(`update job set lease_until = now() where id = $1`, [jobId]);
      await runJob(executorFor(stage.services, "next"), jobId);
      const { status, error } = await jobRow(stage, jobId);
      assert.deepEqual([status, error], ["done", null], `refused before write ${write}`);
      assert.equal(tasksOf(stage, "qmclone") - clones, 1, `refused before write ${write}: cloned once`);
      assert.equal(await holdings(stage), 0);
    }
    assert.ok(vmid > 2505, "it was refused at many places");
  });

  it("is handed on at once by a worker that stops", async () => {
    const { jobId } = await queueGuest(stage, machineRequest(stage, { vmid: 3000, memoryMb: 64, diskGb: 2 }));
    const stopping = new AbortController();
    const first = { ...executorFor(stage.services, "first"), stopping: stopping.signal };
    const running = runJob(first, jobId);
    stopping.abort(new Error("the worker stops"));
    await running;
    await runJob(executorFor(stage.services, "second"), jobId);
    assert.equal((await jobRow(stage, jobId))["status"], "done");
  });

  it("goes on where its journal ends: what is done is not done again", async () => {
    const { jobId } = await queueGuest(stage, machineRequest(stage, { vmid: 3003, memoryMb: 64, diskGb: 2 }));
    await plant(stage.services.pool, { job_step: [{ job_id: jobId, name: "start", position: 5 }] });
    await runJob(executorFor(stage.services, "next"), jobId);
    assert.equal((await jobRow(stage, jobId))["status"], "done");
    assert.equal(stage.host.platform.state.guests.get(3003)?.runtime, null);
  });

  it("is only rolled back once it has failed, whichever worker goes on with it", async () => {
    const { jobId } = await queueGuest(stage, machineRequest(stage, { vmid: 3004, memoryMb: 64, diskGb: 2 }));
    await stage.services.pool.query(`update job set facts = facts || '{"failure": "the disk is full"}' where id = $1`, [
      jobId,
    ]);
    await runJob(executorFor(stage.services, "next"), jobId);
    const { status, error } = await jobRow(stage, jobId);
    assert.deepEqual([status, error], ["failed", "the disk is full"]);
    assert.equal(stage.host.platform.state.guests.get(3004), undefined);
  });

  it("is fenced off when it comes back after another took over", async () => {
    const { jobId } = await queueGuest(stage, machineRequest(stage, { vmid: 3001, memoryMb: 64, diskGb: 2 }));
    let taken = 0;
    const pool = stallingPool(
      stage.services.pool,
      (_statement, count) => count === 6,
      async () => {
        taken++;
        await stage.services.pool.query(`update job set lease_until = now() - interval '1 second' where id = $1`, [
          jobId,
        ]);
        await runJob(executorFor(stage.services, "successor"), jobId);
      },
    );
    await runJob(executorFor({ ...stage.services, pool }, "stalled"), jobId);
    assert.equal(taken, 1);
    const job = await jobRow(stage, jobId);
    assert.equal(job["status"], "done");
    assert.equal(job["lease_epoch"], 2);
  });

  it("puts nothing on record once another took over", async () => {
    const { pool } = stage.services;
    const { jobId } = await queueGuest(stage, machineRequest(stage, { vmid: 3002, memoryMb: 64, diskGb: 2 }));
    const claimed = await claim(executorFor(stage.services, "stalled"), jobId);
    assert.ok(claimed);
    const stalled = await openClaim(executorFor(stage.services, "stalled"), claimed);
    assert.ok(stalled);
    await pool.query(`update job set lease_until = now() - interval '1 second' where id = $1`, [jobId]);
    await runJob(executorFor(stage.services, "successor"), jobId);
    await pool.query(`update guest set name = 'renamed' where vmid = 3002`);
    const context = new JobContext(executorFor(stage.services, "stalled"), stalled, new AbortController().signal);
    await assert.rejects(record.run(context), Fenced);
    const { rows } = await pool.query(`select name from guest where vmid = 3002`);
    assert.deepEqual(rows, [{ name: "renamed" }]);
  });
});
