// Creations end to end: real database, real driver, simulated host.
import assert from "node:assert/strict";
import { runJob } from "../../jobs/engine/executor.js";
import { platformError, PlatformReason } from "../../src/hypervisor/platformError.js";
import { meet } from "../support/meet.js";
import { planted } from "../support/rows.js";
import { removeGuest } from "../../simulator/scenarios/placeGuest.js";
import { changedHosts } from "./changedHosts.js";
import {
  containerRequest,
  holdings,
  jobRow,
  machineRequest,
  openStage,
  queueGuest,
  sync,
  type Stage,
} from "./creation.js";
import { executorFor } from "./killing.js";
import { until } from "../support/until.js";
import { PLACE } from "./place.js";

const forbid = (): Promise<never> => Promise.reject(platformError(PlatformReason.FORBIDDEN, "not any more"));

describe("creating a guest", () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage.close());

  it("clones, configures, resizes and starts a virtual machine", async () => {
    const { jobId, vmid } = await queueGuest(stage, machineRequest(stage));
    await runJob(executorFor(stage.services, "test"), jobId);
    const job = await jobRow(stage, jobId);
    assert.equal(job["error"], null);
    assert.equal(job["status"], "done");
    assert.equal(job["secrets_encrypted"], null);
    const { rowCount } = await stage.services.pool.query(`select from capacity_reservation where job_id = $1`, [jobId]);
    assert.equal(rowCount, 1, "its room stays reserved until a sync has seen it in use");
    const guest = stage.host.platform.state.guests.get(vmid);
    assert.ok(guest, "the platform has the guest");
    const { config } = guest;
    assert.equal(config["name"], "web1.example.com");
    assert.equal(config["cores"], "2");
    assert.equal(config["memory"], "1024");
    assert.match(String(config["scsi0"]), /size=4G/);
    assert.equal(config["ipconfig0"], "ip=dhcp");
    assert.equal(config["description"], undefined);
    assert.equal(config["tags"], undefined, "the template's tags are its own");
    assert.notEqual(guest.runtime, null);
    assert.equal(await holdings(stage), 0);
  });

  it("creates and starts a container", async () => {
    const { jobId, vmid } = await queueGuest(stage, containerRequest());
    await runJob(executorFor(stage.services, "test"), jobId);
    const job = await jobRow(stage, jobId);
    assert.equal(job["error"], null);
    assert.notEqual(stage.host.platform.state.guests.get(vmid)?.runtime, null);
  });

  it("is one row before and after the next sync", async () => {
    const known = async (): Promise<unknown[]> => {
      const { rows } = await stage.services.pool.query(
        `select id, vmid, status, name, started_at is not null as started from guest
         where gone_at is null and vmid <> 9000 order by vmid`,
      );
      return rows;
    };
    const before = await known();
    assert.partialDeepStrictEqual(before, [
      { vmid: 120, status: "running", name: "web1.example.com", started: true },
      { vmid: 130, status: "running", name: "ct1", started: true },
    ]);
    await sync(stage);
    assert.deepEqual(await known(), before);
  });

  it("makes a guest without an owner when the owner is deleted meanwhile", async () => {
    const { pool } = stage.services;
    const owner = await planted(pool, "user_account", { username: "leaving" });
    const { jobId } = await queueGuest(stage, containerRequest({ vmid: 131, ownerId: owner.id }));
    await meet(pool, (client) => client.query(`delete from user_account where username = 'leaving'`), [
      () => runJob(executorFor(stage.services, "test"), jobId),
    ]);
    assert.equal((await jobRow(stage, jobId))["error"], null);
    assert.deepEqual((await pool.query(`select owner_id from guest where vmid = 131`)).rows, [{ owner_id: null }]);
  });

  it("reports what the platform leaves half made and locked when its node dies", async function () {
    this.timeout(300_000);
    const { jobId, vmid } = await queueGuest(stage, machineRequest(stage, { vmid: 145 }));
    const { state, tasks } = stage.host.platform;
    const { bytesPerSecond } = tasks;
    tasks.bytesPerSecond = 1;
    const running = runJob(executorFor(stage.services, "test"), jobId);
    await until("the guest is there", () => state.guests.get(vmid));
    tasks.killNode("pvea");
    await running;
    tasks.bytesPerSecond = bytesPerSecond;
    const job = await jobRow(stage, jobId);
    assert.equal(job["status"], "failed");
    assert.match(String(job["error"]), /left behind: VM 145 on node pvea \(left half made, locked: (clone|create)\)/);
    assert.ok(state.guests.get(vmid), "what is locked stays");
    assert.equal(await holdings(stage), 0);
  });

  it("fails with the platform's reason, and removes what it made", async () => {
    const { jobId, vmid } = await queueGuest(stage, machineRequest(stage, { vmid: 140 }));
    await fetch(`${stage.host.control}/tasks/fail`, {
      method: "POST",
      body: JSON.stringify({ type: "qmstart", vmid: 140, atFraction: 0.5, message: "no more memory" }),
      headers: { "content-type": "application/json" },
    });
    await runJob(executorFor(stage.services, "test"), jobId);
    const job = await jobRow(stage, jobId);
    assert.equal(job["status"], "failed");
    assert.equal(job["error"], `qmstart on ${PLACE} failed: no more memory`);
    assert.equal(stage.host.platform.state.guests.has(vmid), false);
    assert.equal(await holdings(stage), 0);
    const { rows } = await stage.services.pool.query(`select 1 from guest where vmid = $1 and gone_at is null`, [vmid]);
    assert.equal(rows.length, 0);
  });

  it("makes nothing from a template that was taken out of use after the request", async () => {
    const { pool } = stage.services;
    const { jobId, vmid } = await queueGuest(stage, machineRequest(stage, { vmid: 141 }));
    await pool.query(`update os_template set active = false`);
    await runJob(executorFor(stage.services, "test"), jobId);
    await pool.query(`update os_template set active = true`);
    const { status, error } = await jobRow(stage, jobId);
    assert.equal(status, "failed");
    assert.match(String(error), /the template is neither on the node nor on a storage shared with it/);
    assert.equal(stage.host.platform.state.guests.has(vmid), false);
  });

  it("keeps the record and the address of a guest that it cannot remove, until a sync has looked", async () => {
    const { pool, hypervisors } = stage.services;
    const ipSource = `zone:${(await planted(pool, "ip_zone")).id}`;
    const { jobId, vmid } = await queueGuest(stage, machineRequest(stage, { vmid: 190, ipSource }));
    const changed = changedHosts(hypervisors, () => ({ power: forbid, destroy: forbid }));
    await runJob(
      { ...executorFor(stage.services, "test"), services: { ...stage.services, hypervisors: changed } },
      jobId,
    );
    assert.equal(
      (await jobRow(stage, jobId))["error"],
      `${PLACE}: not any more; left behind: VM 190 on node pvea (not any more)`,
    );
    const held = async (): Promise<unknown> =>
      (
        await pool.query(
          `select (select count(*)::int from guest where vmid = $1 and gone_at is null) as guests,
             (select count(*)::int from ip_address a join guest g on g.id = a.guest_id and g.gone_at is null where g.vmid = $1) as addresses`,
          [vmid],
        )
      ).rows[0];
    assert.equal(await holdings(stage), 0);
    assert.deepEqual(await held(), { guests: 1, addresses: 1 });
    await sync(stage);
    assert.deepEqual(await held(), { guests: 1, addresses: 1 });
    removeGuest(stage.host.platform, vmid);
    await sync(stage);
    assert.equal(Object(await held()).guests, 0);
  });

  it("leaves alone what another user made under the VMID meanwhile", async () => {
    const { jobId } = await queueGuest(stage, machineRequest(stage, { vmid: 150 }));
    await fetch(`${stage.host.control}/guests`, {
      method: "POST",
      body: JSON.stringify({ type: "qemu", vmid: 150, node: "pvea", name: "foreign" }),
      headers: { "content-type": "application/json" },
    });
    await runJob(executorFor(stage.services, "test"), jobId);
    const job = await jobRow(stage, jobId);
    assert.equal(job["status"], "failed");
    assert.match(String(job["error"]), /150 already exists/);
    assert.equal(stage.host.platform.state.guests.get(150)?.config["name"], "foreign");
  });
});
