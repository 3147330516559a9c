// Reinstallations end to end: real database, real driver, simulated host.
import assert from "node:assert/strict";
import { refusedAs, refusedFields } from "../support/refusal.js";
import { plant } from "../support/rows.js";
import {
  CONTAINER_TEMPLATE,
  holdings,
  machineRequest,
  queueGuest,
  sync,
  TEMPLATE_VMID,
  type Stage,
} from "./creation.js";
import { tasksOf } from "./killing.js";
import {
  configOf,
  CONTAINER_SETTINGS,
  MACHINE_SETTINGS,
  openReinstallationStage,
  placeOwned,
  queueReinstallation,
  rowsOf,
  runToEnd,
} from "./reinstallation.js";
import { PLACE } from "./place.js";

describe("reinstalling a guest", () => {
  let stage: Stage;
  before(async () => {
    stage = await openReinstallationStage();
  });
  after(() => stage.close());

  it("keeps what a machine is, and gives it a new system", async () => {
    await placeOwned(stage, 400);
    const [before] = await rowsOf(stage, 400);
    const old = { ...configOf(stage, 400) };
    const job = await runToEnd(stage, await queueReinstallation(stage, 400));
    assert.equal(job["error"], null);
    assert.equal(job["secrets_encrypted"], null);
    const config = configOf(stage, 400);
    for (const key of [...Object.keys(MACHINE_SETTINGS), "name", "memory", "cores"]) {
      assert.equal(config[key]?.trimEnd(), old[key]?.trimEnd(), key);
    }
    assert.match(String(config["scsi0"]), /size=3G/);
    assert.notEqual(config["smbios1"], old["smbios1"]);
    assert.match(JSON.stringify(config), /cloudinit/);
    assert.notEqual(stage.host.platform.state.guests.get(400)?.runtime, null);
    assert.equal(tasksOf(stage, "qmdestroy", 400), 1);
    assert.deepEqual(await rowsOf(stage, 400), [before], "its start is on record before the next sync");
    await sync(stage);
    assert.deepEqual(await rowsOf(stage, 400), [before]);
    assert.equal(await holdings(stage), 0);
  });

  it("gives the new system the password and the keys that were asked for, and the keys of its owner", async () => {
    const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
    await plant(stage.services.pool, { ssh_key: [{ public_key: `${key} ann@laptop` }] });
    await placeOwned(stage, 407);
    const jobId = await queueReinstallation(stage, 407, { sshKeys: [`${key}  ann@desk`] });
    await stage.services.pool.query("delete from ssh_key");
    assert.equal((await runToEnd(stage, jobId))["error"], null);
    const { sshkeys = "", cipassword } = configOf(stage, 407);
    assert.deepEqual(decodeURIComponent(sshkeys).trim().split("\n"), [`${key} ann@desk`, `${key} ann@laptop`]);
    assert.match(cipassword ?? "none", /^\$5\$/);
  });

  it("keeps what a container is, also for the syncs that follow", async () => {
    await placeOwned(stage, 401, { type: "lxc", config: CONTAINER_SETTINGS });
    const [before] = await rowsOf(stage, 401);
    const old = { ...configOf(stage, 401) };
    assert.equal((await runToEnd(stage, await queueReinstallation(stage, 401, {}, "lxc")))["error"], null);
    const config = configOf(stage, 401);
    for (const key of [...Object.keys(CONTAINER_SETTINGS), "hostname", "memory", "cores"])
      assert.equal(config[key], old[key], key);
    assert.equal(config["description"], undefined);
    assert.match(String(config["rootfs"]), /size=3G/);
    await sync(stage);
    await sync(stage);
    assert.deepEqual(await rowsOf(stage, 401), [before]);
  });

  it("can be done again and again", async () => {
    assert.equal((await runToEnd(stage, await queueReinstallation(stage, 400)))["error"], null);
    assert.equal((await runToEnd(stage, await queueReinstallation(stage, 401, {}, "lxc")))["error"], null);
    await sync(stage);
    assert.equal((await rowsOf(stage, 400)).length + (await rowsOf(stage, 401)).length, 2);
  });

  it("touches nothing when something stands in its way", async () => {
    const obstacles: readonly [vmid: number, config: Record<string, string | number>, error: RegExp][] = [
      [402, { lock: "backup" }, /locked \(backup\)/],
      [403, { protection: 1 }, /protected against removal/],
      [404, { scsi1: "local:404/vm-404-disk-9.qcow2,size=1G" }, /further disks that would be lost: scsi1/],
    ];
    for (const [vmid, config, error] of obstacles) {
      await placeOwned(stage, vmid, { config });
      const job = await runToEnd(stage, await queueReinstallation(stage, vmid));
      assert.match(String(job["error"]), error);
      assert.notEqual(stage.host.platform.state.guests.get(vmid)?.runtime, null);
    }
  });

  it("gives a guest without a stated size a disk of the size that its storage reports", async () => {
    await placeOwned(stage, 420, {
      type: "lxc",
      config: { ...CONTAINER_SETTINGS, rootfs: "local:420/vm-420-disk-0.raw" },
    });
    const job = await runToEnd(stage, await queueReinstallation(stage, 420, {}, "lxc"));
    assert.equal(job["error"], null);
    assert.match(String(configOf(stage, 420)["rootfs"]), /size=3G/);
  });

  const unsized = [
    { type: "qemu", vmid: 421, key: "scsi0", config: { scsi0: "local:421/vm-421-disk-0.qcow2" } },
    { type: "lxc", vmid: 422, key: "rootfs", config: { rootfs: "local:422/vm-422-disk-0.raw" } },
  ] as const;
  for (const { type, vmid, key, config } of unsized) {
    it(`touches no ${type} guest with a disk whose size nothing states`, async () => {
      await placeOwned(stage, vmid, { type, config, diskGb: 0 });
      const job = await runToEnd(stage, await queueReinstallation(stage, vmid, {}, type));
      assert.equal(
        job["error"],
        `${PLACE}: neither the configuration nor the storage states the size of the guest's disk ${key}`,
      );
      assert.notEqual(stage.host.platform.state.guests.get(vmid)?.runtime, null);
    });
  }

  it("is refused for a template of unknown size, as a creation is, by the request and, if it becomes so later, by the job", async () => {
    const { state } = stage.host.platform;
    const { config } = state.guests.get(TEMPLATE_VMID) ?? assert.fail("no template");
    const [line, volumes] = [config["scsi0"] ?? "", state.volumes];
    await placeOwned(stage, 423);
    const queued = await queueReinstallation(stage, 423);
    config["scsi0"] = line.replace(/,size=[^,]+/, "");
    state.volumes = volumes.filter(({ vmid }) => vmid !== TEMPLATE_VMID);
    const job = await runToEnd(stage, queued);
    assert.equal(
      job["error"],
      `${PLACE}: neither the configuration nor the storage states the size of the template's disk scsi0`,
    );
    await sync(stage);
    await refusedFields(["os_template"], queueReinstallation(stage, 423));
    await refusedFields(["os_template"], queueGuest(stage, machineRequest(stage)));
    config["scsi0"] = line;
    state.volumes = volumes;
    await sync(stage);
  });

  it("takes a template that states no size of its disk where its storage reports one", async () => {
    const { config } = stage.host.platform.state.guests.get(TEMPLATE_VMID) ?? assert.fail("no template");
    const line = config["scsi0"] ?? "";
    await placeOwned(stage, 424);
    const jobId = await queueReinstallation(stage, 424);
    config["scsi0"] = line.replace(/,size=[^,]+/, "");
    const job = await runToEnd(stage, jobId);
    config["scsi0"] = line;
    assert.equal(job["error"], null);
    assert.notEqual(stage.host.platform.state.guests.get(424)?.runtime ?? null, null);
  });

  it("touches nothing when the template has become a guest like others since the request", async () => {
    const { config } = stage.host.platform.state.guests.get(TEMPLATE_VMID) ?? assert.fail("no template");
    await placeOwned(stage, 425);
    const jobId = await queueReinstallation(stage, 425);
    const mark = config["template"] ?? "";
    delete config["template"];
    const job = await runToEnd(stage, jobId);
    config["template"] = mark;
    assert.equal(job["error"], `${PLACE}: guest ${TEMPLATE_VMID} is no template`);
    assert.notEqual(stage.host.platform.state.guests.get(425)?.runtime ?? null, null);
  });

  it("looks for the template before it removes anything", async () => {
    await placeOwned(stage, 405);
    const jobId = await queueReinstallation(stage, 405);
    const template = stage.host.platform.state.guests.get(TEMPLATE_VMID);
    assert.ok(template);
    stage.host.platform.state.guests.delete(TEMPLATE_VMID);
    const job = await runToEnd(stage, jobId);
    stage.host.platform.state.guests.set(TEMPLATE_VMID, template);
    assert.match(String(job["error"]), /9000.* does not exist/);
    assert.notEqual(stage.host.platform.state.guests.get(405)?.runtime, null);
    await placeOwned(stage, 406, { type: "lxc", config: CONTAINER_SETTINGS });
    const missing = "local:vztmpl/none.tar.gz";
    await assert.rejects(
      queueReinstallation(stage, 406, { osTemplate: missing }, "lxc"),
      /os_template: is not available on node pvea/,
    );
    await plant(stage.services.pool, { node_file: [{ volid: missing, size_bytes: 1 }] });
    assert.equal(
      (await runToEnd(stage, await queueReinstallation(stage, 406, { osTemplate: missing }, "lxc")))["error"],
      `${PLACE}: template file ${missing} is not on node pvea`,
    );
  });

  it("names every offending field", async () => {
    await placeOwned(stage, 409);
    await refusedFields(
      ["os_template", "password"],
      queueReinstallation(stage, 409, { osTemplate: "tpl:999", password: "short" }),
    );
    await refusedFields(["os_template"], queueReinstallation(stage, 409, { osTemplate: CONTAINER_TEMPLATE }));
    await refusedFields(["password"], queueReinstallation(stage, 409, { password: null }));
    await refusedFields(["ssh_keys[0]"], queueReinstallation(stage, 409, { sshKeys: ["no key"] }));
    await stage.services.pool.query(`update os_template set min_disk_bytes = 4 * 1073741824::bigint`);
    await refusedFields(["os_template"], queueReinstallation(stage, 409));
    await sync(stage);
  });

  it("is refused for safety copies, templates and busy guests", async () => {
    await placeOwned(stage, 410);
    await queueReinstallation(stage, 410);
    assert.equal((await refusedAs("conflict", queueReinstallation(stage, 410))).reason, "GUEST_BUSY");
    await placeOwned(stage, 411);
    await stage.services.pool.query(`update guest set safety_copy = true where vmid = 411`);
    assert.equal((await refusedAs("conflict", queueReinstallation(stage, 411))).reason, "SAFETY_COPY");
    assert.equal((await refusedAs("conflict", queueReinstallation(stage, TEMPLATE_VMID))).reason, "IS_TEMPLATE");
  });
});
