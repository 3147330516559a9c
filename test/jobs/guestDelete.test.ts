// Deletions end to end: real database, real driver, simulated host.
import assert from "node:assert/strict";
import { runJob } from "../../jobs/engine/executor.js";
import { deleteGuest } from "../../src/actions/guest/deleteGuest.js";
import { UserRole, type GuestType } from "../../src/core/enums.js";
import type { Hypervisors } from "../../src/hypervisor/hypervisor.js";
import { placeGuest, removeGuest } from "../../simulator/scenarios/placeGuest.js";
import { userViewer } from "../support/context.js";
import { noPlatform } from "../support/services.js";
import { refusedAs } from "../support/refusal.js";
import { contextFor } from "../support/viewers.js";
import { holdings, jobRow, openStage, sync, TEMPLATE_VMID, type Stage } from "./creation.js";
import { placeToDelete, queueDeletion, removeByJob, type GuestChanges } from "./deletion.js";
import { executorFor, MOMENTS, runKilled, tasksOf } from "./killing.js";
import { places, triedOf } from "./places.js";
import { PLACE } from "./place.js";

describe("deleting a guest", () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage.close());

  const place = (vmid: number, changes?: GuestChanges): Promise<void> => placeToDelete(stage, vmid, changes);
  const queue = (vmid: number, type?: GuestType): Promise<number> => queueDeletion(stage, vmid, type);
  const remove = (vmid: number, type?: GuestType): Promise<Record<string, unknown>> => removeByJob(stage, vmid, type);
  const isOnRecord = async (vmid: number): Promise<boolean> => {
    const { rowCount } = await stage.services.pool.query(`select 1 from guest where vmid = $1 and gone_at is null`, [
      vmid,
    ]);
    return rowCount === 1;
  };
  const isThere = (vmid: number): boolean => stage.host.platform.state.guests.has(vmid);

  for (const type of ["qemu", "lxc"] as const) {
    it(`stops and destroys a running ${type} guest and forgets it`, async () => {
      const vmid = type === "qemu" ? 300 : 301;
      await place(vmid, { type });
      const job = await remove(vmid, type);
      assert.equal(job["error"], null);
      assert.equal(job["status"], "done");
      assert.equal(isThere(vmid), false);
      assert.equal(await isOnRecord(vmid), false);
      assert.equal(await holdings(stage), 0);
    });
  }

  it("is asked for again when the platform could not start its task, and done", async () => {
    await place(330);
    await fetch(`${stage.host.control}/faults`, {
      method: "POST",
      body: JSON.stringify({
        method: "DELETE",
        path: "/qemu/330$",
        times: 4,
        effect: "status",
        status: 500,
        message: "got no worker upid - start worker failed",
      }),
    });
    const job = await remove(330);
    assert.deepEqual([job["status"], job["error"]], ["done", null]);
    assert.equal(isThere(330), false);
    assert.equal(await isOnRecord(330), false);
    assert.equal(tasksOf(stage, "qmdestroy", 330), 1);
  });

  it("works when the guest is gone from the platform", async () => {
    await place(303);
    stage.host.platform.state.guests.delete(303);
    assert.equal((await remove(303))["error"], null);
    assert.equal(await isOnRecord(303), false);
  });

  for (const type of ["qemu", "lxc"] as const) {
    it(`is done when a ${type} guest is gone, however its destruction ended`, async () => {
      const vmid = type === "qemu" ? 320 : 321;
      await place(vmid, { type });
      const task = type === "qemu" ? "qmdestroy" : "vzdestroy";
      await fetch(`${stage.host.control}/tasks/fail`, {
        method: "POST",
        body: JSON.stringify({ type: task, vmid, atFraction: 1, message: "unexpected status" }),
        headers: { "content-type": "application/json" },
      });
      const job = await remove(vmid, type);
      assert.equal(isThere(vmid), false);
      assert.deepEqual([job["status"], job["error"]], ["done", null]);
      assert.equal(await isOnRecord(vmid), false);
      assert.equal(await holdings(stage), 0);
    });
  }

  it("leaves another guest alone that got the VMID meanwhile", async () => {
    await place(304);
    const jobId = await queue(304);
    stage.host.platform.state.guests.delete(304);
    placeGuest(stage.host.platform, {
      type: "qemu",
      vmid: 304,
      node: "pvea",
      name: "newer",
      status: "running",
      memory: 128,
      cores: 1,
      diskGb: 0,
      config: { smbios1: "uuid=99999999-2222-4333-8444-555555555555" },
      snapshots: [],
    });
    await runJob(executorFor(stage.services, "test"), jobId);
    assert.equal((await jobRow(stage, jobId))["error"], null);
    assert.equal(stage.host.platform.state.guests.get(304)?.config["name"], "newer");
    assert.notEqual(stage.host.platform.state.guests.get(304)?.runtime, null);
    await sync(stage);
    const { rows } = await stage.services.pool.query(
      `select name, gone_at is null as here from guest where vmid = 304 order by id`,
    );
    assert.deepEqual(rows, [
      { name: "g304", here: false },
      { name: "newer", here: true },
    ]);
  });

  const obstacles: readonly [what: string, config: Record<string, string | number>, error: RegExp][] = [
    ["lock", { lock: "backup" }, /: guest 30\d is locked \(backup\)$/],
    ["protection", { protection: 1 }, /: guest 30\d is protected against removal$/],
  ];
  for (const [index, [what, config, error]] of obstacles.entries()) {
    it(`reports a ${what} and leaves the guest running`, async () => {
      const vmid = 305 + index;
      await place(vmid, { config });
      const job = await remove(vmid);
      assert.equal(job["status"], "failed");
      assert.match(String(job["error"]), error);
      assert.notEqual(stage.host.platform.state.guests.get(vmid)?.runtime, null);
      assert.equal(await isOnRecord(vmid), true);
      assert.equal(await holdings(stage), 0);
    });
  }

  it("is done when another user removes the guest right before it is to be stopped", async () => {
    await place(311);
    const jobId = await queue(311);
    const { hypervisors } = stage.services;
    const meanwhile: Hypervisors = {
      ...noPlatform,
      async patient(hostId, signal) {
        const host = await hypervisors.patient(hostId, signal);
        return {
          ...host,
          power(guest, action) {
            removeGuest(stage.host.platform, guest.vmid);
            return host.power(guest, action);
          },
        };
      },
    };
    await runJob(executorFor({ ...stage.services, hypervisors: meanwhile }, "test"), jobId);
    assert.equal((await jobRow(stage, jobId))["error"], null);
    assert.equal(await isOnRecord(311), false);
  });

  it("reports what is left when the platform cannot destroy it", async () => {
    await place(308);
    await fetch(`${stage.host.control}/tasks/fail`, {
      method: "POST",
      body: JSON.stringify({ type: "qmdestroy", vmid: 308, atFraction: 0.5, message: "storage is away" }),
      headers: { "content-type": "application/json" },
    });
    const job = await remove(308);
    assert.equal(
      job["error"],
      `qmdestroy on ${PLACE} failed: storage is away; left behind: VM 308 on node pvea, which was to be stopped first`,
    );
    assert.equal(await isOnRecord(308), true);
    // It was stopped for it, and the inventory says so before the next sync.
    const { rows } = await stage.services.pool.query(`select status, started_at from guest where vmid = 308`);
    assert.deepEqual(rows, [{ status: "stopped", started_at: null }]);
  });

  it("takes safety copies", async () => {
    await place(309, { status: "stopped" });
    await stage.services.pool.query(`update guest set safety_copy = true where vmid = 309`);
    assert.equal((await remove(309))["error"], null);
    assert.equal(isThere(309), false);
  });

  it("is refused for templates, busy guests and guests that the caller does not see", async () => {
    const ask = async (vmid: number): Promise<unknown> => queue(vmid);
    assert.equal((await refusedAs("conflict", ask(TEMPLATE_VMID))).reason, "IS_TEMPLATE");
    await place(310);
    const jobId = await queue(310);
    assert.equal((await refusedAs("conflict", ask(310))).reason, "GUEST_BUSY");
    await runJob(executorFor(stage.services, "test"), jobId);
    await refusedAs("notFound", ask(310));
    const customer = await contextFor(stage.services, userViewer(UserRole.CUSTOMER, 1));
    await refusedAs("forbidden", deleteGuest(customer, { hostId: stage.hostId, type: "qemu", vmid: 300 }));
  });

  it("is queued once when it is asked for many times at once", async () => {
    await place(311);
    const asked = await Promise.allSettled(Array.from({ length: 10 }, () => queue(311)));
    assert.equal(asked.filter(({ status }) => status === "fulfilled").length, 1);
  });

  for (const moment of MOMENTS) {
    it(`is finished exactly once when the worker dies ${moment} any of its writes`, async function () {
      this.timeout(1_800_000);
      let vmid = moment === "before" ? 4000 : 5000;
      for (const write of places()) {
        await place(vmid);
        const jobId = await queue(vmid);
        const died = await runKilled(stage, jobId, { write, moment });
        const where = `killed ${moment} write ${write}`;
        const job = await jobRow(stage, jobId);
        assert.equal(job["error"], null, where);
        assert.equal(job["status"], "done", where);
        assert.equal(isThere(vmid), false, where);
        assert.equal(await isOnRecord(vmid), false, where);
        assert.equal(tasksOf(stage, "qmdestroy", vmid), 1, where);
        if (!died) break;
        vmid++;
      }
      assert.ok(vmid % 1000 >= triedOf(10), "the worker was killed at many places");
    });
  }
});
