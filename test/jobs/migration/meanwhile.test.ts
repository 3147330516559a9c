// What happens to a guest between the plan of its move and its start, and while it moves.
import assert from "node:assert/strict";
import { createPortForward } from "../../../src/actions/host/portForward.js";
import { planMigration, type MigrationRequest } from "../../../src/migration/plan.js";
import { retryMigration } from "../../../src/actions/migration/retry.js";
import { startMove } from "../../../src/actions/migration/start.js";
import type { Context } from "../../../src/context/context.js";
import { guestLock } from "../../../src/core/guest/lock.js";
import { lowestFreeVmid } from "../../../src/reads/models/nextVmid.js";
import { runJob } from "../../../jobs/engine/executor.js";
import { syncHost } from "../../../src/inventory/syncHost.js";
import { placeGuest } from "../../../simulator/scenarios/placeGuest.js";
import { meet } from "../../support/meet.js";
import { refusedAs } from "../../support/refusal.js";
import { plant, planted } from "../../support/rows.js";
import { contextFor } from "../../support/viewers.js";
import { dyingPool } from "../killing.js";
import {
  beat,
  executorFor,
  guestOn,
  leftovers,
  migrationRow,
  moveInput,
  NOTHING_LEFT,
  openMoveStage,
  placeAndSync,
  queueMove,
  run,
  type MoveStage,
} from "./stage.js";

const NO_RUN = { evacuationId: null, balanceRunId: null };

const UNSEEN = {
  type: "qemu" as const,
  name: "unseen",
  status: "stopped" as const,
  memory: 64,
  cores: 1,
  diskGb: 0.0625,
  config: {},
  snapshots: [],
};

describe("a guest whose move is planned", function () {
  this.timeout(300_000);
  let stage: MoveStage;
  let context: Context;
  before(async () => {
    stage = await openMoveStage();
    context = await contextFor(stage.services);
  });
  after(() => stage.close());

  const container = (vmid: number): Promise<number> =>
    placeAndSync(stage, {
      type: "lxc",
      vmid,
      status: "running",
      config: { net0: `name=eth0,bridge=vmbr0,ip=10.0.0.${vmid - 100}/24,type=veth` },
    });

  const planned = async (guestId: number, more: Partial<MigrationRequest> = {}) => {
    await beat(stage);
    return planMigration(context, moveInput(stage, guestId, more));
  };

  const forward = (guestId: number) => createPortForward(context, { guestId, protocol: "tcp", guestPort: 22 });

  it("does not move when it has got a port forward since: that would stay behind", async () => {
    const guestId = await container(150);
    await forward(guestId);
    const before = await planned(guestId);
    await forward(guestId);
    const { reason } = await refusedAs("conflict", startMove(context, before, NO_RUN));
    assert.equal(reason, "PLAN_OUTDATED");
    assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
    assert.ok((await startMove(context, await planned(guestId), NO_RUN)) > 0);
  });

  it("does not move when it gets a port forward at the same time", async () => {
    const guestId = await container(154);
    const before = await planned(guestId);
    const [outcome] = await meet(
      stage.services.pool,
      async (client) => {
        await client.query(`select from guest where id = $1 for no key update`, [guestId]);
        await plant(client, { port_forward: [{ guest_id: guestId, public_port: 12345 }] });
      },
      [() => startMove(context, before, NO_RUN)],
    );
    assert.ok(outcome?.status === "rejected");
    assert.equal(outcome.reason.reason, "PLAN_OUTDATED");
  });

  it("does not move from where it is no longer", async () => {
    const guestId = await container(151);
    const before = await planned(guestId);
    await stage.services.pool.query(`update guest set vmid = 251 where id = $1`, [guestId]);
    const { reason } = await refusedAs("conflict", startMove(context, before, NO_RUN));
    assert.equal(reason, "PLAN_OUTDATED");
  });

  const take = async (vmid: number) => {
    const onTarget = { host_id: stage.target.hostId, vmid };
    const { id } = await planted(stage.services.pool, "job", onTarget);
    await plant(stage.services.pool, { vmid_reservation: [{ ...onTarget, job_id: id }] });
  };

  it("gets the next free VMID when the one that was chosen for it is taken since, unless it was asked for", async () => {
    const guestId = await container(160);
    const [chosen, asked] = [await planned(guestId), await planned(guestId, { targetVmid: 160 })];
    await take(160);
    const { reason } = await refusedAs("conflict", startMove(context, asked, NO_RUN));
    assert.equal(reason, "VMID_TAKEN");
    const migrationId = await startMove(context, chosen, NO_RUN);
    const row = await migrationRow(stage, migrationId);
    assert.equal(row["target_vmid"], 100);
    await run(stage, Number(row["job_id"]));
    assert.equal((await migrationRow(stage, migrationId))["status"], "done");
    assert.equal(guestOn(stage.target, 100)?.config["hostname"], "guest160");
  });

  it("gets the next free VMID when guests that no inventory has seen yet have the lowest ones", async () => {
    const guestId = await container(161);
    await take(161);
    const next = (await planned(guestId)).plan.targetVmid;
    for (const vmid of [next, next + 1])
      placeGuest(stage.target.host.platform, { ...UNSEEN, vmid, node: stage.target.node });
    const { plan } = await planned(guestId);
    assert.deepEqual([plan.targetVmid, plan.startable], [next + 2, true]);
    await syncHost(stage.services, stage.target.hostId, { thorough: true });
  });

  it("gets the next free VMID after however many that only the platform has on record", async () => {
    const guestId = await container(163);
    await take(163);
    const next = (await planned(guestId)).plan.targetVmid;
    const unseen = Array.from({ length: 20 }, (_, index) => next + index);
    for (const vmid of unseen) placeGuest(stage.target.host.platform, { ...UNSEEN, vmid, node: stage.target.node });
    const { plan } = await planned(guestId);
    assert.deepEqual([plan.targetVmid, plan.startable], [next + 20, true]);
    await syncHost(stage.services, stage.target.hostId, { thorough: true });
  });

  /** The VMID of the plan is taken when the move begins, by a guest that no sync has seen. */
  async function overtaken(vmid: number, more: Partial<MigrationRequest> = {}) {
    const guestId = await container(vmid);
    const { jobId, migrationId } = await queueMove(stage, guestId, more);
    assert.equal((await migrationRow(stage, migrationId))["target_vmid"], vmid);
    placeGuest(stage.target.host.platform, { ...UNSEEN, vmid, node: stage.target.node });
    return { jobId, migrationId };
  }

  /** That the move has ended under another VMID on the target, and is the only one there. */
  async function assertElsewhere(vmid: number, migrationId: number, where: string): Promise<void> {
    const { status, error, target_vmid: other } = await migrationRow(stage, migrationId);
    assert.deepEqual([status, error], ["done", null], where);
    assert.notEqual(other, vmid, where);
    assert.equal(guestOn(stage.target, vmid)?.config["name"], UNSEEN.name, where);
    const arrived = [...stage.target.host.platform.state.guests.values()].filter(
      ({ config }) => config["hostname"] === `guest${vmid}`,
    );
    assert.deepEqual(
      arrived.map((guest) => guest.vmid),
      [other],
      where,
    );
    const { rows } = await stage.services.pool.query(
      `select from vmid_reservation where vmid in ($1, $2) and job_id in (select job_id from migration where id = $3)`,
      [vmid, other, migrationId],
    );
    assert.equal(rows.length, 0, where);
  }

  it("gets the next free VMID within its job when the target refuses the one of the plan", async () => {
    const { jobId, migrationId } = await overtaken(170);
    await run(stage, jobId);
    await assertElsewhere(170, migrationId, "alone");
    const next = await lowestFreeVmid(stage.services.pool, stage.target.hostId);
    assert.notEqual(next, 170, "the refused one is not chosen for others");
  });

  const range = (lower: number, upper: number) =>
    stage.services.pool.query(`update host set vmid_lower = $2, vmid_upper = $3 where id = $1`, [
      stage.target.hostId,
      lower,
      upper,
    ]);

  it("is refused with the target's range when that has no VMID for it", async () => {
    const guestId = await container(180);
    await take(180);
    await range(180, 181);
    const { reason, message } = await refusedAs("conflict", planned(guestId));
    await range(100, 1_000_000);
    assert.equal(reason, "NO_FREE_VMID");
    assert.match(message, /gives VMIDs from 180 to 180, and none of them is free$/);
  });

  it("keeps to a VMID that was asked for, and fails when the target refuses it", async () => {
    const { jobId, migrationId } = await overtaken(171, { targetVmid: 171 });
    await run(stage, jobId);
    const { status, error } = await migrationRow(stage, migrationId);
    assert.equal(status, "failed");
    assert.match(String(error), /VMID 171 is taken on the target/);
  });

  it("gets one other VMID, whichever worker goes on with its job when one dies while it looks for one", async () => {
    for (let write = 1; write <= 6; write++) {
      const vmid = 171 + write;
      const { jobId, migrationId } = await overtaken(vmid);
      const { pool, died } = dyingPool(stage.services.pool, { write, moment: write % 2 === 0 ? "before" : "after" });
      await runJob(executorFor({ ...stage.services, pool }, "killed"), jobId).catch((error: unknown) => {
        if (!died()) throw error;
      });
      assert.ok(died());
      await stage.services.pool.query(`update job set lease_until = now() - interval '1 second' where id = $1`, [
        jobId,
      ]);
      await run(stage, jobId);
      await assertElsewhere(vmid, migrationId, `killed at write ${write}`);
    }
  });

  it("is retried with the next free VMID and address when those of the plan are taken since", async () => {
    const { pool } = stage.services;
    const zone = (hostId: number, cidr: string, first: string, last: string) =>
      planted(pool, "ip_zone", { host_id: hostId, cidr, range_start: first, range_end: last });
    const from = await zone(stage.source.hostId, "10.0.0.0/24", "10.0.0.62", "10.0.0.62");
    const to = await zone(stage.target.hostId, "10.8.0.0/24", "10.8.0.1", "10.8.0.9");
    const guestId = await container(162);
    await pool.query(
      `insert into ip_address (zone_id, guest_id, address) values ($1, $2, '10.0.0.62') on conflict (zone_id, address) do update set guest_id = $2`,
      [from.id, guestId],
    );
    const failure = { type: "vzmigrate", vmid: 162, atFraction: 0.1, message: "no route", times: 1 };
    stage.source.host.platform.tasks.planFailure(failure);
    const { migrationId, jobId } = await queueMove(stage, guestId);
    await run(stage, jobId);
    assert.equal((await migrationRow(stage, migrationId))["status"], "failed");
    await take(162);
    await plant(pool, { ip_address: [{ zone_id: to.id, address: "10.8.0.1" }] });
    await retryMigration(context, migrationId);
    const { target_vmid: vmid, job_id: again } = await migrationRow(stage, migrationId);
    const { rows } = await pool.query(
      `select (j.input->'target'->>'vmid')::int as vmid, j.input->'ipPlan'->>'newAddress' as planned,
         (select host(address) from ip_address a where a.job_id = j.id) as held
       from job j join vmid_reservation r on r.job_id = j.id and r.vmid = $2 where j.id = $1`,
      [again, vmid],
    );
    assert.notEqual(vmid, 162);
    assert.deepEqual(rows, [{ vmid, planned: "10.8.0.2", held: "10.8.0.2" }]);
  });

  it("gets no port forwards while it moves", async () => {
    const guestId = await container(152);
    await queueMove(stage, guestId);
    assert.equal((await refusedAs("conflict", forward(guestId))).reason, "GUEST_BUSY");
  });

  it("gets none while its move starts", async () => {
    const guestId = await container(153);
    const [outcome] = await meet(
      stage.services.pool,
      async (client) => {
        await client.query(`select from guest where id = $1 for no key update`, [guestId]);
        const { id } = await planted(client, "job", { kind: "migration", vmid: 153 });
        await plant(client, { resource_lock: [{ key: guestLock(stage.source.hostId, 153), job_id: id }] });
      },
      [() => forward(guestId)],
    );
    assert.ok(outcome?.status === "rejected");
    assert.equal(outcome.reason.reason, "GUEST_BUSY");
  });
});
