// Deletions of safety copies: named ones, those whose time has come, and what is refused.
import assert from "node:assert/strict";
import type { PoolClient } from "pg";
import { deleteSafetyCopies, pruneSafetyCopies } from "../../../src/actions/guest/safetyCopy.js";
import { meet } from "../../support/meet.js";
import { refusedAs } from "../../support/refusal.js";
import { contextFor } from "../../support/viewers.js";
import { guestOn, openMoveStage, placeAndSync, queueMove, run, type MoveStage } from "../../jobs/migration/stage.js";

describe("actions/safetyCopy", function () {
  this.timeout(180_000);
  let stage: MoveStage;
  let copies: number[] = [];
  const vmids = [201, 202, 203];
  before(async () => {
    stage = await openMoveStage();
    for (const vmid of vmids) {
      const guestId = await placeAndSync(stage, { type: "qemu", vmid, status: "stopped" });
      await run(stage, (await queueMove(stage, guestId)).jobId);
    }
    const { rows } = await stage.services.pool.query<{ id: number }>(
      `select id from guest where safety_copy order by vmid`,
    );
    copies = rows.map(({ id }) => id);
  });
  after(() => stage.close());

  const setDue = (id: number, days: number) =>
    stage.services.pool.query(
      `update guest set safety_copy_delete_at = $2::timestamptz + $3 * interval '1 day' where id = $1`,
      [id, stage.services.clock.now(), days],
    );

  it("deletes none when one of them is no safety copy, or unknown", async () => {
    const context = await contextFor(stage.services);
    const { rows } = await stage.services.pool.query<{ id: number }>(
      `select id from guest where not safety_copy limit 1`,
    );
    const other = await refusedAs("conflict", deleteSafetyCopies(context, [copies[0] ?? 0, rows[0]?.id ?? 0]));
    assert.equal(other.reason, "NOT_A_SAFETY_COPY");
    await refusedAs("notFound", deleteSafetyCopies(context, [copies[0] ?? 0, 999_999]));
    assert.notEqual(guestOn(stage.source, 201), undefined);
  });

  it("moves none of them", async () => {
    const refusal = await refusedAs("conflict", queueMove(stage, copies[0] ?? 0));
    assert.equal(refusal.reason, "SAFETY_COPY");
    assert.match(refusal.message, /^guest 201 is a safety copy: it can only be deleted$/);
  });

  it("keeps one that another user has started again, or whose tag was taken off", async () => {
    const [id = 0] = copies;
    const original = guestOn(stage.source, 201);
    assert.ok(original !== undefined);
    const config = { ...original.config };
    const running = { pid: 1, startedAtMs: 0, qmpstatus: "running", cpu: 0, memoryBytes: 0, machine: null } as const;
    for (const [change, reason] of [
      [() => (original.runtime = running), /it was started/],
      [() => (original.config["tags"] = "gold"), /its tag was taken off/],
    ] as const) {
      change();
      await setDue(id, -1);
      assert.equal(await pruneSafetyCopies(stage.services), 1);
      const jobId = stage.services.woken.at(-1) ?? 0;
      await run(stage, jobId);
      const { rows } = await stage.services.pool.query<{ error: string }>(`select error from job where id = $1`, [
        jobId,
      ]);
      assert.match(rows[0]?.error ?? "", reason);
      assert.equal(guestOn(stage.source, 201), original);
      Object.assign(original, { runtime: null, config: { ...config } });
    }
  });

  it("prunes those that are due, and no other", async () => {
    await setDue(copies[0] ?? 0, -1);
    assert.equal(await pruneSafetyCopies(stage.services), 1);
    assert.equal(await pruneSafetyCopies(stage.services), 0, "one that is being deleted is left alone");
    await run(stage, stage.services.woken.at(-1) ?? 0);
    assert.deepEqual(
      vmids.map((vmid) => guestOn(stage.source, vmid) !== undefined),
      [false, true, true],
    );
    assert.notEqual(guestOn(stage.target, 201), undefined);
  });

  it("prunes the others when another client takes one of them at the same time", async () => {
    const { pool } = stage.services;
    const [, second = 0, third = 0] = copies;
    await setDue(second, -1);
    await setDue(third, -1);
    const key = `guest:${stage.source.hostId}:203`;
    const taking = [
      (client: PoolClient) => client.query(`select from guest where id = $1 for no key update`, [third]),
      () => Promise.resolve(),
    ];
    for (const hold of taking) {
      const [outcome] = await meet(
        pool,
        async (client) => {
          await hold(client);
          await client.query(`insert into resource_lock (key, until) values ($1, now() + interval '1 hour')`, [key]);
        },
        [() => pruneSafetyCopies(stage.services)],
      );
      assert.deepEqual(outcome, { status: "fulfilled", value: 1 });
      const { rows } = await pool.query(
        `delete from job where status = 'queued' and guest_id in ($1, $2) returning guest_id, vmid`,
        [second, third],
      );
      assert.deepEqual(rows, [{ guest_id: second, vmid: 202 }]);
      await pool.query(`delete from resource_lock where key = $1`, [key]);
    }
    await setDue(second, 1);
    await setDue(third, 1);
  });

  it("deletes those that are named, each once", async () => {
    const context = await contextFor(stage.services);
    const [, second = 0, third = 0] = copies;
    const queued = await deleteSafetyCopies(context, [second, third, second]);
    assert.deepEqual(
      queued.map(({ vmid }) => vmid),
      [202, 203],
    );
    const again = await refusedAs("conflict", deleteSafetyCopies(context, [second]));
    assert.equal(again.reason, "GUEST_BUSY");
    for (const { jobId } of queued) await run(stage, jobId);
    assert.deepEqual(
      vmids.map((vmid) => guestOn(stage.source, vmid)),
      [undefined, undefined, undefined],
    );
    const { rows } = await stage.services.pool.query(`select 1 from guest where safety_copy and gone_at is null`);
    assert.deepEqual(rows, []);
  });
});
