// An evacuation with its real moves, from the first check to the safety copies.
import assert from "node:assert/strict";
import { runJob } from "../../../jobs/engine/executor.js";
import { startEvacuation } from "../../../src/actions/run/evacuation.js";
import { contextFor } from "../../support/viewers.js";
import { openMoveStage, placeAndSync, type MoveStage } from "../migration/stage.js";
import { executorFor } from "./stage.js";

describe("jobs/run: a whole evacuation", () => {
  let stage: MoveStage;
  before(async () => {
    stage = await openMoveStage();
  });
  after(() => stage.close());

  it("moves a running machine, a running container and a stopped machine, and leaves their copies", async function () {
    this.timeout(300_000);
    const { pool } = stage.services;
    const guestIds = [
      await placeAndSync(stage, { type: "qemu", vmid: 101, status: "running" }),
      await placeAndSync(stage, { type: "lxc", vmid: 102, status: "running" }),
      await placeAndSync(stage, { type: "qemu", vmid: 103, status: "stopped" }),
    ];
    const context = await contextFor(stage.services);
    const id = await startEvacuation(context, { hostId: stage.source.hostId, guestIds });
    const executor = executorFor(stage.services);
    const { rows: jobs } = await pool.query<{ id: number }>(`select job_id as id from run where id = $1`, [id]);
    const moving = setInterval(() => {
      void pool
        .query<{ id: number }>(`select id from job where kind = 'migration' and status = 'queued'`)
        .then(({ rows }) => Promise.all(rows.map((job) => runJob(executor, job.id))));
    }, 25);
    await runJob(executor, jobs[0]?.id ?? 0).finally(() => clearInterval(moving));
    const { rows: items } = await pool.query(
      `select i.vmid, i.status, i.reason, m.status as move, m.mode from run_item i join migration m on m.id = i.migration_id
       where i.run_id = $1 order by i.position`,
      [id],
    );
    assert.deepEqual(items, [
      { vmid: 101, status: "done", reason: null, move: "done", mode: "live" },
      { vmid: 102, status: "done", reason: null, move: "done", mode: "restart" },
      { vmid: 103, status: "done", reason: null, move: "done", mode: "offline" },
    ]);
    for (const vmid of [101, 102, 103]) {
      const moved = stage.target.host.platform.state.guests.get(vmid);
      const copy = stage.source.host.platform.state.guests.get(vmid);
      assert.equal(moved !== undefined && moved.runtime !== null, vmid !== 103, `${vmid} runs as before`);
      assert.equal(copy?.runtime ?? null, null, `the copy of ${vmid} is stopped`);
    }
    const { rows: guests } = await pool.query(
      `select count(*) filter (where safety_copy and host_id = $1)::int as copies,
         count(*) filter (where not safety_copy and host_id = $2 and id = any($3))::int as moved
       from guest where gone_at is null`,
      [stage.source.hostId, stage.target.hostId, guestIds],
    );
    assert.deepEqual(guests, [{ copies: 3, moved: 3 }]);
  });
});
