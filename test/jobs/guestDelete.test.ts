// Deletions end to end: real database, real driver, simulated host.
import assert from "node:assert/strict";
import { runJob } from "../../jobs/executor.js";
import { deleteGuest } from "../../src/actions/guest/deleteGuest.js";
import { UserRole, type GuestType } from "../../src/core/enums.js";
import type { Hypervisors } from "../../src/hypervisor/hypervisor.js";
import { placeGuest, removeGuest } from "../../simulator/scenarios/placeGuest.js";
import { userViewer } from "../support/context.js";
import { meet } from "../support/meet.js";
import { noPlatform } from "../support/services.js";
import { refusedAs } from "../support/refusal.js";
import { contextFor } from "../support/viewers.js";
import { holdings, jobRow, openStage, sync, TEMPLATE_VMID, type Stage } from "./creation.js";
import { executorFor, MOMENTS, runKilled, tasksOf } from "./killing.js";

describe("deleting a guest", () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage.close());

  const place = async (vmid: number, changes: Partial<Parameters<typeof placeGuest>[1]> = {}): Promise<void> => {
    const plan = {
      type: "qemu",
      node: "pvea",
      name: `g${vmid}`,
      status: "running",
      memory: 128,
      cores: 1,
      diskGb: 1,
    } as const;
    placeGuest(stage.host.platform, { ...plan, vmid, config: {}, snapshots: [], ...changes });
    await sync(stage);
  };
  const queue = async (vmid: number, type: GuestType = "qemu"): Promise<number> =>
    (await deleteGuest(await contextFor(stage.services), { hostId: stage.hostId, type, vmid })).jobId;
  const remove = async (vmid: number, type: GuestType = "qemu"): Promise<Record<string, unknown>> => {
    const jobId = await queue(vmid, type);
    await runJob(executorFor(stage.services, "test"), jobId);
    return jobRow(stage, jobId);
  };
  const isOnRecord = async (vmid: number): Promise<boolean> => {
    const { rowCount } = await stage.services.pool.query(`select 1 from guest where vmid = $1 and gone_at is null`, [
      vmid,
    ]);
    return rowCount === 1;
  };
  const isThere = (vmid: number): boolean => stage.host.platform.state.guests.has(vmid);

  it("gives back the room that was promised to a guest which no sync has seen", async () => {
    const { pool } = stage.services;
    placeGuest(stage.host.platform, {
      type: "qemu",
      vmid: 310,
      node: "pvea",
      name: "g310",
      status: "running",
      memory: 128,
      cores: 1,
      diskGb: 1,
      config: {},
      snapshots: [],
    });
    await pool.query(
      `insert into guest (host_id, node_id, type, vmid, name, status, cores, memory_mb, disk_bytes)
       select host_id, id, 'qemu', 310, 'g310', 'running', 1, 128, 1 from node`,
    );
    await pool.query(
      `with made as (
         insert into job (kind, status, host_id, vmid, guest_id, finished_at)
         select 'guest_create', 'done', host_id, vmid, id, now() from guest where vmid = 310 returning id)
       insert into capacity_reservation (job_id, node_id, storage, memory_mb, disk_bytes)
       select made.id, node.id, 'local', 128, 1 from made, node`,
    );
    assert.equal((await remove(310))["error"], null);
    assert.equal((await pool.query(`select 1 from capacity_reservation`)).rowCount, 0);
  });

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

  it("gives its addresses and public ports back, and has the agent close them", async () => {
    await place(302);
    const { pool } = stage.services;
    await pool.query(
      `with zone as (insert into ip_zone (host_id, name, cidr, range_start, range_end, bridge, total, next_candidate)
           values ($1, 'z', '192.0.2.0/24', '192.0.2.2', '192.0.2.9', 'vmbr0', 8, '192.0.2.3') returning id),
         taken as (insert into ip_address (zone_id, address, guest_id) select zone.id, '192.0.2.2', g.id from zone, guest g where g.vmid = 302)
       insert into port_forward (node_id, guest_id, protocol, public_port, guest_port, guest_address)
       select node_id, id, 'tcp', 2222, 22, '192.0.2.2' from guest where vmid = 302`,
      [stage.hostId],
    );
    assert.equal((await remove(302))["error"], null);
    const { rows } = await pool.query(
      `select used::int, (select host(min(address)) from ip_zone_returned) as next, (select count(*)::int from port_forward) as forwards,
         (select json_agg(payload->'forwards') from agent_job) as orders from ip_zone`,
    );
    assert.deepEqual(rows, [{ used: 0, next: "192.0.2.2", forwards: 0, orders: [[]] }]);
  });

  it("leaves no public port that it is given meanwhile", async () => {
    await place(313, { status: "stopped" });
    const jobId = await queue(313);
    const { pool } = stage.services;
    await meet(
      pool,
      async (client) => {
        await client.query(
          `select from node where id = (select node_id from guest where vmid = 313) for no key update`,
        );
        await client.query(`select from guest where vmid = 313 for no key update`);
        await client.query(
          `insert into port_forward (node_id, guest_id, protocol, public_port, guest_port, guest_address)
           select node_id, id, 'tcp', 3313, 22, '192.0.2.3' from guest where vmid = 313`,
        );
      },
      [() => runJob(executorFor(stage.services, "test"), jobId)],
    );
    assert.equal((await jobRow(stage, jobId))["status"], "done");
    assert.deepEqual((await pool.query(`select public_port from port_forward where public_port = 3313`)).rows, []);
  });

  it("gives its addresses back while its owner is deleted", async () => {
    await place(312, { status: "stopped" });
    const { pool } = stage.services;
    await pool.query(
      `with owner as (insert into user_account (email, username, role, password_hash) values ('o@x', 'leaving', 'customer', '') returning id)
       update guest set owner_id = owner.id from owner where vmid = 312`,
    );
    await pool.query(
      `with zone as (insert into ip_zone (host_id, name, cidr, range_start, range_end, bridge, total, next_candidate)
           values ($1, 'owned', '198.51.100.0/24', '198.51.100.2', '198.51.100.9', 'vmbr0', 8, '198.51.100.3') returning id)
       insert into ip_address (zone_id, address, guest_id) select zone.id, '198.51.100.2', g.id from zone, guest g where g.vmid = 312`,
      [stage.hostId],
    );
    const jobId = await queue(312);
    await meet(
      pool,
      (client) => client.query(`select from guest where vmid = 312 for no key update`),
      [() => runJob(executorFor(stage.services, "test"), jobId)],
      (client) => client.query(`delete from user_account where username = 'leaving'`),
    );
    const { status, error } = await jobRow(stage, jobId);
    assert.deepEqual([status, error], ["done", null]);
    assert.deepEqual((await pool.query(`select used::int from ip_zone where name = 'owned'`)).rows, [{ used: 0 }]);
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
    ["lock", { lock: "backup" }, /^guest 30\d is locked \(backup\)$/],
    ["protection", { protection: 1 }, /^guest 30\d is protected against removal$/],
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

  it("is done when somebody removes the guest right before it is to be stopped", async () => {
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

  it("says what is left when the platform cannot destroy it", async () => {
    await place(308);
    await fetch(`${stage.host.control}/tasks/fail`, {
      method: "POST",
      body: JSON.stringify({ type: "qmdestroy", vmid: 308, atFraction: 0.5, message: "storage is away" }),
      headers: { "content-type": "application/json" },
    });
    const job = await remove(308);
    assert.equal(
      job["error"],
      "qmdestroy failed: storage is away; left behind: VM 308 on node pvea, which was to be stopped first",
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
      this.timeout(300_000);
      let vmid = moment === "before" ? 4000 : 5000;
      for (let write = 1, died = true; died; write++, vmid++) {
        await place(vmid);
        const jobId = await queue(vmid);
        died = await runKilled(stage, jobId, { write, moment });
        const where = `killed ${moment} write ${write}`;
        const job = await jobRow(stage, jobId);
        assert.equal(job["error"], null, where);
        assert.equal(job["status"], "done", where);
        assert.equal(isThere(vmid), false, where);
        assert.equal(await isOnRecord(vmid), false, where);
        assert.equal(tasksOf(stage, "qmdestroy", vmid), 1, where);
      }
      assert.ok(vmid % 1000 > 10, "the worker was killed at many places");
    });
  }
});
