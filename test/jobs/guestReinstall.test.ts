// Reinstallations end to end: real database, real driver, simulated host.
import assert from "node:assert/strict";
import { runJob } from "../../jobs/executor.js";
import { reinstallGuest } from "../../src/actions/guest/reinstallGuest.js";
import { PowerAction, type GuestType } from "../../src/core/enums.js";
import type { InstallRequest } from "../../src/core/guest/specification.js";
import { platformError, PlatformReason } from "../../src/hypervisor/platformError.js";
import { placeGuest, removeGuest } from "../../simulator/scenarios/placeGuest.js";
import { eventually } from "../support/eventually.js";
import { refusedAs, refusedFields } from "../support/refusal.js";
import { shiftableClock } from "../support/services.js";
import { contextFor } from "../support/viewers.js";
import { changedHosts } from "./changedHosts.js";
import { CONTAINER_TEMPLATE, holdings, jobRow, openStage, sync, TEMPLATE_VMID, type Stage } from "./creation.js";
import { executorFor, MOMENTS, runKilled, tasksOf } from "./killing.js";

const PASSWORD = "correct horse";
const MACHINE_SETTINGS = {
  net0: "virtio=BC:24:11:AA:BB:CC,bridge=vmbr1,tag=20",
  ipconfig0: "ip=192.0.2.9/24,gw=192.0.2.1",
  nameserver: "192.0.2.53",
  tags: "gold;web",
  onboot: 1,
  sockets: 2,
  description: "Ann's web server",
};
const CONTAINER_SETTINGS = {
  net0: "name=eth0,bridge=vmbr0,gw=192.0.2.1,hwaddr=BC:24:11:AA:BB:DD,ip=192.0.2.10/24,type=veth",
  tags: "gold",
  swap: 128,
  nameserver: "192.0.2.53",
};

describe("reinstalling a guest", () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
    await stage.services.pool.query(
      `insert into user_account (email, username, role, password_hash) values ('ann@example.com', 'ann', 'customer', 'x')`,
    );
  });
  after(() => stage.close());

  const place = async (vmid: number, changes: Partial<Parameters<typeof placeGuest>[1]> = {}): Promise<void> => {
    const plan = {
      type: "qemu",
      node: "pvea",
      name: `g${vmid}`,
      status: "running",
      memory: 128,
      cores: 2,
      diskGb: 3,
    } as const;
    placeGuest(stage.host.platform, { ...plan, vmid, config: MACHINE_SETTINGS, snapshots: [], ...changes });
    await sync(stage);
    await stage.services.pool.query(`update guest set owner_id = 1 where vmid = $1 and gone_at is null`, [vmid]);
  };
  const queue = async (vmid: number, request: InstallRequest = {}, type: GuestType = "qemu"): Promise<number> => {
    const osTemplate = type === "qemu" ? `tpl:${stage.templateId}` : CONTAINER_TEMPLATE;
    const asked = { osTemplate, password: PASSWORD, ...request };
    return (await reinstallGuest(await contextFor(stage.services), { hostId: stage.hostId, type, vmid }, asked)).jobId;
  };
  const run = async (jobId: number): Promise<Record<string, unknown>> => {
    await runJob(executorFor(stage.services, "test"), jobId);
    return jobRow(stage, jobId);
  };
  const rowsOf = async (vmid: number): Promise<unknown[]> => {
    const { rows } = await stage.services.pool.query(
      `select id, owner_id, status, gone_at is null as here from guest where vmid = $1 order by id`,
      [vmid],
    );
    return rows;
  };
  const configOf = (vmid: number): Record<string, string> => stage.host.platform.state.guests.get(vmid)?.config ?? {};

  it("keeps what a machine is, and gives it a new system", async () => {
    await place(400);
    const [before] = await rowsOf(400);
    const old = { ...configOf(400) };
    const job = await run(await queue(400));
    assert.equal(job["error"], null);
    assert.equal(job["secrets_encrypted"], null);
    const config = configOf(400);
    for (const key of [...Object.keys(MACHINE_SETTINGS), "name", "memory", "cores"]) {
      assert.equal(config[key]?.trimEnd(), old[key]?.trimEnd(), key);
    }
    assert.match(String(config["scsi0"]), /size=3G/);
    assert.notEqual(config["smbios1"], old["smbios1"]);
    assert.match(JSON.stringify(config), /cloudinit/);
    assert.notEqual(stage.host.platform.state.guests.get(400)?.runtime, null);
    assert.equal(tasksOf(stage, "qmdestroy", 400), 1);
    await sync(stage);
    assert.deepEqual(await rowsOf(400), [before]);
    assert.equal(await holdings(stage), 0);
  });

  it("keeps what a container is, also for the syncs that follow", async () => {
    await place(401, { type: "lxc", config: CONTAINER_SETTINGS });
    const [before] = await rowsOf(401);
    const old = { ...configOf(401) };
    assert.equal((await run(await queue(401, {}, "lxc")))["error"], null);
    const config = configOf(401);
    for (const key of [...Object.keys(CONTAINER_SETTINGS), "hostname", "memory", "cores"])
      assert.equal(config[key], old[key], key);
    assert.equal(config["description"], undefined);
    assert.match(String(config["rootfs"]), /size=3G/);
    await sync(stage);
    await sync(stage);
    assert.deepEqual(await rowsOf(401), [before]);
  });

  it("can be done again and again", async () => {
    assert.equal((await run(await queue(400)))["error"], null);
    assert.equal((await run(await queue(401, {}, "lxc")))["error"], null);
    await sync(stage);
    assert.equal((await rowsOf(400)).length + (await rowsOf(401)).length, 2);
  });

  it("touches nothing when something stands in its way", async () => {
    const obstacles: readonly [vmid: number, config: Record<string, string | number>, error: RegExp][] = [
      [402, { lock: "backup" }, /locked \(backup\)/],
      [403, { protection: 1 }, /protected against removal/],
      [404, { scsi1: "local:404/vm-404-disk-9.qcow2,size=1G" }, /further disks that would be lost: scsi1/],
    ];
    for (const [vmid, config, error] of obstacles) {
      await place(vmid, { config });
      const job = await run(await queue(vmid));
      assert.match(String(job["error"]), error);
      assert.notEqual(stage.host.platform.state.guests.get(vmid)?.runtime, null);
    }
  });

  it("looks for the template before it removes anything", async () => {
    await place(405);
    const jobId = await queue(405);
    const template = stage.host.platform.state.guests.get(TEMPLATE_VMID);
    assert.ok(template);
    stage.host.platform.state.guests.delete(TEMPLATE_VMID);
    const job = await run(jobId);
    stage.host.platform.state.guests.set(TEMPLATE_VMID, template);
    assert.match(String(job["error"]), /9000.* does not exist/);
    assert.notEqual(stage.host.platform.state.guests.get(405)?.runtime, null);
    await place(406, { type: "lxc", config: CONTAINER_SETTINGS });
    const missing = "local:vztmpl/none.tar.gz";
    await assert.rejects(queue(406, { osTemplate: missing }, "lxc"), /os_template: is not available on node pvea/);
    await stage.services.pool.query(
      `insert into node_file (node_id, storage, volid, content, size_bytes) select id, 'local', $1, 'vztmpl', 1 from node`,
      [missing],
    );
    assert.equal(
      (await run(await queue(406, { osTemplate: missing }, "lxc")))["error"],
      `template file ${missing} is not on node pvea`,
    );
  });

  const momentary: readonly [what: string, path: string, refusal: { times: number; status: number }][] = [
    ["there instead of the old one", "/qemu/[0-9]+$", { times: 1, status: 500 }],
    ["there instead of the old one", "/qemu/[0-9]+$", { times: 1, status: 595 }],
    ["made", "/clone$", { times: 2, status: 500 }],
    ["made", "/clone$", { times: 1, status: 403 }],
    ["set up", "/config$", { times: 1, status: 595 }],
    ["set up", "/config$", { times: 2, status: 500 }],
    ["started", "/status/start$", { times: 1, status: 500 }],
    ["started", "/status/start$", { times: 1, status: 403 }],
  ];
  for (const [index, [what, path, { times, status }]] of momentary.entries()) {
    it(`asks again when the new one is not ${what} because of ${times} times ${status}`, async () => {
      const vmid = 420 + index;
      await place(vmid);
      const method = path.startsWith("/qemu") ? "DELETE" : "POST";
      const refusal = { method, path, times, effect: "status", status, message: "not at this moment" };
      const { ok } = await fetch(`${stage.host.control}/faults`, { method: "POST", body: JSON.stringify(refusal) });
      assert.ok(ok);
      assert.equal((await run(await queue(vmid)))["error"], null);
      assert.notEqual(stage.host.platform.state.guests.get(vmid)?.runtime ?? null, null);
      assert.equal(configOf(vmid)["description"], MACHINE_SETTINGS.description);
    });
  }

  it("starts the new one only when a lost order to stop the old one can no longer be carried out", async () => {
    await place(430);
    const { hypervisors, pool } = stage.services;
    const clock = shiftableClock();
    let lostAt = 0;
    let startedAfterMs = 0;
    const changed = changedHosts(hypervisors, (host) => ({
      power: (guest, action) => {
        const now = clock.now().getTime();
        if (action === PowerAction.START) startedAfterMs = now - lostAt;
        if (action !== PowerAction.STOP || lostAt !== 0) return host.power(guest, action);
        lostAt = now;
        return Promise.reject(platformError(PlatformReason.UNCERTAIN, "the host did not answer"));
      },
    }));
    const jobId = await queue(430);
    const running = runJob(executorFor({ ...stage.services, clock, hypervisors: changed }, "worker"), jobId);
    const step = async (): Promise<unknown> =>
      (await pool.query(`select step from job where id = $1`, [jobId])).rows[0]?.step;
    await eventually(async () => assert.equal(await step(), "start"));
    clock.shift(40);
    await running;
    assert.equal((await jobRow(stage, jobId))["error"], null);
    assert.ok(startedAfterMs >= 35_000, `started after ${startedAfterMs} ms`);
  });

  it("says that the guest is lost when the new one cannot be made", async () => {
    await place(407);
    await failNext({ type: "qmclone", atFraction: 0.5, message: "storage is full" });
    const job = await run(await queue(407));
    assert.equal(
      job["error"],
      "qmclone failed: clone failed: storage is full; left behind: nothing of VM 407 on node pvea: the old installation had been removed already",
    );
    assert.equal(configOf(407)["name"], undefined);
    assert.partialDeepStrictEqual(await rowsOf(407), [{ here: false }]);
    assert.equal(await holdings(stage), 0);
  });

  it("goes on when the old one is gone, however its destruction ended", async () => {
    await place(419);
    const [before] = await rowsOf(419);
    await failNext({ type: "qmdestroy", vmid: 419, atFraction: 1, message: "unexpected status" });
    assert.equal((await run(await queue(419)))["error"], null);
    await sync(stage);
    assert.partialDeepStrictEqual(await rowsOf(419), [before]);
  });

  it("leaves a guest that was made but cannot be started, under its record", async () => {
    await place(408);
    const [before] = await rowsOf(408);
    await failNext({ type: "qmstart", vmid: 408, atFraction: 0.5, message: "no more memory" });
    const job = await run(await queue(408));
    assert.match(
      String(job["error"]),
      /^qmstart failed: no more memory; left behind: VM 408 on node pvea, installed anew but/,
    );
    await sync(stage);
    assert.deepEqual(await rowsOf(408), [{ ...Object(before), status: "stopped" }]);
    assert.equal((await run(await queue(408)))["error"], null);
  });

  const failNext = (order: Record<string, unknown>): Promise<Response> =>
    fetch(`${stage.host.control}/tasks/fail`, {
      method: "POST",
      body: JSON.stringify({ times: 1, ...order }),
      headers: { "content-type": "application/json" },
    });

  it("names every offending field", async () => {
    await place(409);
    await refusedFields(["os_template", "password"], queue(409, { osTemplate: "tpl:999", password: "short" }));
    await refusedFields(["os_template"], queue(409, { osTemplate: CONTAINER_TEMPLATE }));
    await refusedFields(["password"], queue(409, { password: null }));
    await refusedFields(["ssh_keys[0]"], queue(409, { sshKeys: ["no key"] }));
    await stage.services.pool.query(`update os_template set min_disk_bytes = 4 * 1073741824::bigint`);
    await refusedFields(["os_template"], queue(409));
    await sync(stage);
  });

  it("is refused for safety copies, templates and busy guests", async () => {
    await place(410);
    await queue(410);
    assert.equal((await refusedAs("conflict", queue(410))).reason, "GUEST_BUSY");
    await place(411);
    await stage.services.pool.query(`update guest set safety_copy = true where vmid = 411`);
    assert.equal((await refusedAs("conflict", queue(411))).reason, "SAFETY_COPY");
    assert.equal((await refusedAs("conflict", queue(TEMPLATE_VMID))).reason, "IS_TEMPLATE");
  });

  for (const moment of MOMENTS) {
    for (const type of ["qemu", "lxc"] as const) {
      it(`of type ${type} is finished exactly once when the worker dies ${moment} any of its writes`, async function () {
        this.timeout(400_000);
        const config = type === "qemu" ? MACHINE_SETTINGS : CONTAINER_SETTINGS;
        const firewall = "[OPTIONS]\n\nenable: 1\n\n[RULES]\n\nIN ACCEPT -p tcp -dport 22\nIN DROP\n";
        const first = (moment === "before" ? 4000 : 5000) + (type === "qemu" ? 0 : 500);
        let vmid = first;
        for (let write = 1, died = true; died; write++, vmid++) {
          await place(vmid, { type, config, memory: 32, diskGb: 2, firewall });
          const before = await rowsOf(vmid);
          const jobId = await queue(vmid, {}, type);
          died = await runKilled(stage, jobId, { write, moment });
          const where = `killed ${moment} write ${write}`;
          const job = await jobRow(stage, jobId);
          assert.equal(job["error"], null, where);
          assert.equal(job["status"], "done", where);
          assert.notEqual(
            stage.host.platform.state.guests.get(vmid)?.runtime ?? null,
            null,
            `${where}: the guest runs`,
          );
          assert.equal(configOf(vmid)["net0"], config.net0, where);
          assert.equal(configOf(vmid)["tags"], config.tags, where);
          assert.equal(stage.host.platform.state.guests.get(vmid)?.firewall, firewall, where);
          assert.equal(tasksOf(stage, type === "qemu" ? "qmdestroy" : "vzdestroy", vmid), 1, where);
          await sync(stage);
          assert.deepEqual(await rowsOf(vmid), before, where);
          // Syncs of the guests of earlier rounds would take longer and longer.
          removeGuest(stage.host.platform, vmid);
        }
        assert.ok(vmid - first > 15, "the worker was killed at many places");
      });
    }
  }
});
