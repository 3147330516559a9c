// Reinstallations from a template with several disks: the system disk keeps its size, and the template's others come besides.
import assert from "node:assert/strict";
import { runJob } from "../../jobs/engine/executor.js";
import { PowerAction } from "../../src/core/enums.js";
import { refusedAs, refusedFields } from "../support/refusal.js";
import { changedHosts } from "./changedHosts.js";
import { machineRequest, queueGuest, sync, type Stage } from "./creation.js";
import { addTemplate, fillTo, recordedGb, reserve, reservedGb } from "./furtherDisks.js";
import { executorFor } from "./killing.js";
import { PLACE } from "./place.js";
import {
  configOf,
  CONTAINER_SETTINGS,
  MACHINE_SETTINGS,
  openReinstallationStage,
  placeOwned,
  queueReinstallation,
  runToEnd,
} from "./reinstallation.js";

describe("reinstalling a guest from a template with a system disk of 3 GiB and a further one of 50", () => {
  let stage: Stage;
  let osTemplate: string;
  before(async () => {
    stage = await openReinstallationStage();
    osTemplate = await addTemplate(stage, 9001);
  });
  after(() => stage.close());

  it("keeps the size of the system disk, and reserves and records all disks", async () => {
    await placeOwned(stage, 300, { diskGb: 8 });
    const jobId = await queueReinstallation(stage, 300, { osTemplate });
    assert.equal((await runToEnd(stage, jobId))["error"], null);
    assert.equal(await reservedGb(stage, jobId), 58);
    const { scsi0, scsi1 } = configOf(stage, 300);
    assert.match(String(scsi0), /size=8G/);
    assert.match(String(scsi1), /size=50G/);
    assert.deepEqual(await recordedGb(stage, 300), { all: 58, system: 8 });
    await sync(stage);
    assert.deepEqual(await recordedGb(stage, 300), { all: 58, system: 8 });
  });

  it("takes a guest whose system disk is as large as the template's, and none whose system disk is smaller", async () => {
    await placeOwned(stage, 301);
    assert.equal((await runToEnd(stage, await queueReinstallation(stage, 301, { osTemplate })))["error"], null);
    const config = { ...MACHINE_SETTINGS, scsi1: "local:302/vm-302-disk-1.qcow2,size=60G" };
    await placeOwned(stage, 302, { diskGb: 2, config });
    const { message } = await refusedAs("validation", queueReinstallation(stage, 302, { osTemplate }));
    assert.match(message, /os_template: has a system disk of 3 GiB, the guest's has 2 GiB/);
  });

  it("touches nothing where the template's further disks find no room", async () => {
    await placeOwned(stage, 303);
    await fillTo(stage, 40);
    const job = await runToEnd(stage, await queueReinstallation(stage, 303, { osTemplate }));
    assert.equal(
      job["error"],
      `${PLACE}: the template's further disks need 50 GiB, storage local of node pvea has 40 GiB free`,
    );
    assert.notEqual(stage.host.platform.state.guests.get(303)?.runtime, null);
  });

  it("touches nothing where the host does not tell how much room there is", async () => {
    await fillTo(stage, 200);
    const jobId = await queueReinstallation(stage, 303, { osTemplate });
    await stage.services.pool.query(`update storage set room_known = false where name = 'local'`);
    const job = await runToEnd(stage, jobId);
    const why = "how much room storage local of node pvea has is not known: its host does not tell";
    assert.equal(job["error"], `${PLACE}: the template's further disks need 50 GiB, ${why}`);
    assert.notEqual(stage.host.platform.state.guests.get(303)?.runtime ?? null, null);
  });

  it("has their room reserved before it stops the guest", async () => {
    await fillTo(stage, 60);
    const jobId = await queueReinstallation(stage, 303, { osTemplate });
    const atPower: unknown[] = [];
    const hypervisors = changedHosts(stage.services.hypervisors, (host) => ({
      power: async (guest, action) => {
        atPower.push(action, await reservedGb(stage, jobId));
        return host.power(guest, action);
      },
    }));
    await runJob(executorFor({ ...stage.services, hypervisors }, "test"), jobId);
    assert.deepEqual(atPower, [PowerAction.STOP, 53, PowerAction.START, 53]);
    await fillTo(stage, 200);
  });

  it("does not count its own reservation when it looks again", async () => {
    await placeOwned(stage, 308);
    await fillTo(stage, 60);
    const jobId = await queueReinstallation(stage, 308, { osTemplate });
    await reserve(stage, jobId, 53);
    assert.equal((await runToEnd(stage, jobId))["error"], null);
    await fillTo(stage, 200);
  });

  it("counts what others have reserved there", async () => {
    await placeOwned(stage, 304);
    await fillTo(stage, 60);
    const [first, second] = [
      await queueReinstallation(stage, 304, { osTemplate }),
      await queueReinstallation(stage, 301, { osTemplate: `tpl:${stage.templateId}` }),
    ];
    await reserve(stage, second, 20);
    const job = await runToEnd(stage, first);
    assert.match(String(job["error"]), /need 50 GiB, storage local of node pvea has 40 GiB free/);
    await fillTo(stage, 200);
  });

  it("is refused while the size of a further disk is not known, by the request and, if it becomes so later, by the job", async () => {
    await placeOwned(stage, 306);
    const { state } = stage.host.platform;
    const { config } = state.guests.get(9001) ?? assert.fail("no template");
    const [line, volumes] = [config["scsi1"] ?? "", state.volumes];
    const queued = await queueReinstallation(stage, 306, { osTemplate });
    config["scsi1"] = line.replace(/,size=[^,]+/, "");
    state.volumes = volumes.filter(({ name }) => !name.endsWith("vm-9001-disk-1.qcow2"));
    assert.equal(
      (await runToEnd(stage, queued))["error"],
      `${PLACE}: neither the configuration nor the storage states the size of the template's disk scsi1`,
    );
    assert.notEqual(stage.host.platform.state.guests.get(306)?.runtime, null);
    await sync(stage);
    await refusedFields(["os_template"], queueReinstallation(stage, 306, { osTemplate }));
    await refusedFields(
      ["os_template"],
      queueGuest(stage, machineRequest(stage, { osTemplate, vmid: 307, diskGb: 99 })),
    );
    config["scsi1"] = line;
    state.volumes = volumes;
    await sync(stage);
  });

  it("asks no room beyond their root file system for containers", async () => {
    await placeOwned(stage, 305, { type: "lxc", config: CONTAINER_SETTINGS, diskGb: 4 });
    await fillTo(stage, 0);
    const jobId = await queueReinstallation(stage, 305, {}, "lxc");
    assert.equal((await runToEnd(stage, jobId))["error"], null);
    assert.equal(await reservedGb(stage, jobId), 4);
    assert.deepEqual(await recordedGb(stage, 305), { all: 4, system: 4 });
  });
});
