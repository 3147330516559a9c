// Guests from a template with several disks: `disk_gb` is the system disk, and what is reserved and recorded counts all of them.
import assert from "node:assert/strict";
import { runJob } from "../../jobs/engine/executor.js";
import * as plans from "../../src/store/plan.js";
import type { GuestCreateRequest } from "../../src/core/guest/specification.js";
import { GIB } from "../../src/core/units.js";
import { refusedAs } from "../support/refusal.js";
import { containerRequest, jobRow, machineRequest, openStage, queueGuest, sync, type Stage } from "./creation.js";
import { executorFor } from "./killing.js";
import { configOf, runToEnd } from "./reinstallation.js";
import { addTemplate, fillTo, recordedGb, reservedGb } from "./furtherDisks.js";

const VMID = 9001;

describe("a guest from a template with a system disk of 3 GiB and a further one of 50", () => {
  let stage: Stage;
  let osTemplate: string;
  before(async () => {
    stage = await openStage();
    osTemplate = await addTemplate(stage, VMID, {});
  });
  after(() => stage.close());

  const request = (changes: GuestCreateRequest): GuestCreateRequest =>
    machineRequest(stage, { osTemplate, diskGb: 60, ...changes });

  it("has the system disk that was asked for, and all its disks are reserved and recorded", async () => {
    const { jobId } = await queueGuest(stage, request({ vmid: 200 }));
    assert.equal(await reservedGb(stage, jobId), 110);
    assert.equal((await runToEnd(stage, jobId))["error"], null);
    const { scsi0, scsi1 } = configOf(stage, 200);
    assert.match(String(scsi0), /size=60G/);
    assert.match(String(scsi1), /size=50G/);
    assert.deepEqual(await recordedGb(stage, 200), { all: 110, system: 60 });
    await sync(stage);
    assert.deepEqual(await recordedGb(stage, 200), { all: 110, system: 60 });
  });

  it("may have a system disk as small as the template's, but none smaller", async () => {
    const { jobId } = await queueGuest(stage, request({ vmid: 201, diskGb: 3 }));
    assert.equal(await reservedGb(stage, jobId), 53);
    assert.equal((await runToEnd(stage, jobId))["error"], null);
    const { message } = await refusedAs("validation", queueGuest(stage, request({ vmid: 202, diskGb: 2 })));
    assert.match(message, /disk_gb: is smaller than the template's system disk of 3 GiB/);
  });

  it("has the disk of its plan as its system disk", async () => {
    const { pool } = stage.services;
    const plan = { cores: 1, memoryMb: 512, trafficGb: null, runtimeDays: null, active: true };
    const small = await plans.insert(pool, { ...plan, name: "small", diskGb: 2 });
    const fitting = await plans.insert(pool, { ...plan, name: "fitting", diskGb: 4 });
    const { message } = await refusedAs("validation", queueGuest(stage, request({ vmid: 203, planId: small })));
    assert.match(message, /plan_id: has a disk that is smaller than the template's system disk of 3 GiB/);
    const { jobId } = await queueGuest(stage, request({ vmid: 203, planId: fitting }));
    assert.equal(await reservedGb(stage, jobId), 54);
    assert.equal((await runToEnd(stage, jobId))["error"], null);
    assert.deepEqual(await recordedGb(stage, 203), { all: 54, system: 4 });
  });

  it("is not placed where there is no room for all its disks, at the request and before it is made", async () => {
    await fillTo(stage, 110);
    const { jobId } = await queueGuest(stage, request({ vmid: 204 }));
    await fillTo(stage, 100);
    const tooLittle =
      /needs 110 GiB of disk \(50 GiB of it for the template's further disks\), its roomiest storage local has 100 GiB free/;
    await runJob(executorFor(stage.services, "test"), jobId);
    assert.match(String((await jobRow(stage, jobId))["error"]), tooLittle);
    assert.equal(stage.host.platform.state.guests.has(204), false);
    await sync(stage);
    const refusal = await refusedAs("conflict", queueGuest(stage, request({ vmid: 204 })));
    assert.equal(refusal.reason, "NO_NODE_HAS_ROOM");
    assert.match(refusal.message, tooLittle);
    await fillTo(stage, 200);
  });

  it("has the disk that is grown as its system disk, whichever the template starts from", async () => {
    const second = await addTemplate(stage, 9002, { boot: "order=scsi1;net0" });
    const { message } = await refusedAs("validation", queueGuest(stage, request({ osTemplate: second, diskGb: 49 })));
    assert.match(message, /system disk of 50 GiB/);
    const { jobId } = await queueGuest(stage, request({ vmid: 205, osTemplate: second, diskGb: 51 }));
    assert.equal(await reservedGb(stage, jobId), 54);
    assert.equal((await runToEnd(stage, jobId))["error"], null);
    assert.match(String(configOf(stage, 205)["scsi1"]), /size=51G/);
    assert.deepEqual(await recordedGb(stage, 205), { all: 54, system: 51 });
    await sync(stage);
    assert.deepEqual(await recordedGb(stage, 205), { all: 54, system: 51 });
  });

  it("is asked for as if each disk of the template came besides while no sync has read which one is the system's", async () => {
    const { pool } = stage.services;
    await pool.query(`update guest set system_disk_bytes = null where vmid = $1`, [VMID]);
    await pool.query(`update os_template set min_disk_bytes = $2 where vmid = $1`, [VMID, 53 * GIB]);
    await refusedAs("validation", queueGuest(stage, request({ vmid: 206, diskGb: 52 })));
    const { jobId } = await queueGuest(stage, request({ vmid: 206, diskGb: 53 }));
    assert.equal(await reservedGb(stage, jobId), 106);
    assert.equal((await runToEnd(stage, jobId))["error"], null);
    await sync(stage);
    assert.deepEqual(await recordedGb(stage, 206), { all: 103, system: 53 });
    const { rows } = await pool.query(`select min_disk_bytes / $2::bigint as gib from os_template where vmid = $1`, [
      VMID,
      GIB,
    ]);
    assert.deepEqual(rows, [{ gib: 3 }]);
  });

  it("is made as it was reserved by an earlier release, which counted the system disk alone", async () => {
    const { pool } = stage.services;
    const { jobId } = await queueGuest(stage, request({ vmid: 208, diskGb: 5 }));
    await pool.query(`update job set input = input - 'furtherDiskBytes' where id = $1`, [jobId]);
    await pool.query(`update capacity_reservation set disk_bytes = $2 where job_id = $1`, [jobId, 5 * GIB]);
    assert.equal((await runToEnd(stage, jobId))["error"], null);
    assert.deepEqual(await recordedGb(stage, 208), { all: 5, system: 5 });
    await sync(stage);
    assert.deepEqual(await recordedGb(stage, 208), { all: 55, system: 5 });
  });

  it("has nothing to do with containers: their file takes no more than was asked for", async () => {
    const { jobId } = await queueGuest(stage, containerRequest({ vmid: 207, diskGb: 5 }));
    assert.equal(await reservedGb(stage, jobId), 5);
    assert.equal((await runToEnd(stage, jobId))["error"], null);
    assert.deepEqual(await recordedGb(stage, 207), { all: 5, system: 5 });
    await sync(stage);
    assert.deepEqual(await recordedGb(stage, 207), { all: 5, system: 5 });
  });
});
