// Creations whose VMID the service chose, on a host with guests that the connection does not see: another VMID takes its place.
import assert from "node:assert/strict";
import type { GuestCreateRequest } from "../../src/core/guest/specification.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import type { Installation } from "../../src/hypervisor/install.js";
import { lowestFreeVmid } from "../../src/reads/models/nextVmid.js";
import { refusedAs } from "../support/refusal.js";
import { changedHosts } from "./changedHosts.js";
import { containerRequest, holdings, machineRequest, queueGuest, TEMPLATE_VMID, type Stage } from "./creation.js";
import { MOMENTS, runKilled, tasksOf } from "./killing.js";
import { connectAs, MINIMAL_ROLE } from "./migration/connectedAs.js";
import { places, triedOf } from "./places.js";
import {
  auto,
  connectWithout,
  done,
  ended,
  hide,
  nextVmid,
  openVmidStage,
  overtakenHost,
  placeForeign,
  run,
  setRange,
  SMALL,
} from "./vmidStage.js";

describe("a VMID that the service chose and the host refuses", function () {
  this.timeout(600_000);
  let stage: Stage;
  beforeEach(async () => {
    stage = await openVmidStage();
  });
  afterEach(() => stage.close());

  it("gives way to the next within the job, and is not chosen again", async () => {
    await hide(stage, [100, 101, 102]);
    const first = await queueGuest(stage, auto(stage));
    assert.equal(first.vmid, 100, "what the connection does not see seems free");
    await run(stage, first.jobId);
    assert.deepEqual(await ended(stage, [first.jobId]), [done(103)]);
    assert.equal(await nextVmid(stage), 104);
    const second = await queueGuest(stage, { ...auto(stage), ...containerRequest({ node: "auto", vmid: null }) });
    assert.equal(second.vmid, 104);
    await run(stage, second.jobId);
    const others = await Promise.all([1, 2, 3, 4].map(() => queueGuest(stage, auto(stage))));
    await Promise.all(others.map(({ jobId }) => run(stage, jobId)));
    const jobs = await ended(
      stage,
      [second, ...others].map(({ jobId }) => jobId),
    );
    assert.deepEqual(
      jobs.toSorted((a, b) => Number(a.vmid) - Number(b.vmid)),
      [104, 105, 106, 107, 108].map(done),
    );
    const { rows } = await stage.services.pool.query(`select vmid from guest where vmid <> $1 order by vmid`, [
      TEMPLATE_VMID,
    ]);
    assert.deepEqual(
      rows.map(({ vmid }) => vmid),
      [103, 104, 105, 106, 107, 108],
    );
    assert.equal(await holdings(stage), 0);
    assert.equal(await nextVmid(stage), 109);
    for (const vmid of [100, 101, 102])
      assert.equal(stage.host.platform.state.guests.get(vmid)?.config["name"], "foreign");
  });

  it("gives way for each of six that are asked for at once", async () => {
    await hide(stage, [100, 101, 102]);
    const jobIds: number[] = [];
    for (const type of ["qemu", "lxc", "qemu", "lxc", "qemu", "lxc"] as const) {
      const request = type === "qemu" ? auto(stage) : containerRequest({ node: "auto", vmid: null });
      jobIds.push((await queueGuest(stage, request)).jobId);
    }
    await Promise.all(jobIds.map((jobId) => run(stage, jobId)));
    const jobs = await ended(stage, jobIds);
    assert.deepEqual(
      jobs.toSorted((a, b) => Number(a.vmid) - Number(b.vmid)),
      [103, 104, 105, 106, 107, 108].map(done),
    );
    assert.equal(await holdings(stage), 0);
  });

  it("is chosen again when its time is over", async () => {
    await hide(stage, [100]);
    const { jobId } = await queueGuest(stage, auto(stage));
    await run(stage, jobId);
    assert.equal(await lowestFreeVmid(stage.services.pool, stage.hostId), 102);
    await stage.services.pool.query(`update vmid_refusal set until = until - interval '1 hour'`);
    assert.equal(await lowestFreeVmid(stage.services.pool, stage.hostId), 100);
  });

  it("fails the job of a caller who asked for it", async () => {
    await hide(stage, [100]);
    const { jobId } = await queueGuest(stage, machineRequest(stage, { vmid: 100, ...SMALL }));
    await run(stage, jobId);
    const [job] = await ended(stage, [jobId]);
    assert.deepEqual([job?.status, job?.vmid], ["failed", 100]);
    assert.match(String(job?.error), /VMID 100 already exists/);
    assert.equal((await stage.services.pool.query(`select from vmid_refusal`)).rowCount, 0);
    await run(stage, (await queueGuest(stage, machineRequest(stage, { vmid: 110, ...SMALL }))).jobId);
    const again = queueGuest(stage, machineRequest(stage, { vmid: 110, ...SMALL }));
    assert.equal((await refusedAs("conflict", again)).reason, "VMID_TAKEN");
  });

  for (const type of ["qemu", "lxc"] as const) {
    const request = (): GuestCreateRequest =>
      type === "qemu" ? auto(stage) : containerRequest({ node: "auto", vmid: null });

    it(`gives way too when another user takes it between the last look and the creation (${type})`, async () => {
      const { jobId, vmid } = await queueGuest(stage, request());
      assert.equal(vmid, 100);
      await run(
        stage,
        jobId,
        overtakenHost(stage, 100, () => placeForeign(stage, 100)),
      );
      assert.deepEqual(await ended(stage, [jobId]), [done(101)]);
      assert.equal(stage.host.platform.state.guests.get(100)?.config["name"], "foreign");
      assert.equal(await holdings(stage), 0);
    });

    it(`gives way when rules of its own keep the connection from it (${type})`, async () => {
      await connectWithout(stage, [{ vmid: 100, lacks: "VM.Allocate" }]);
      const { jobId } = await queueGuest(stage, request());
      await run(stage, jobId);
      assert.deepEqual(await ended(stage, [jobId]), [done(101)]);
      assert.equal(await holdings(stage), 0);
    });
  }

  it("gives way when only the task of the creation finds it taken", async () => {
    const { jobId } = await queueGuest(stage, auto(stage));
    const failing = { type: "qmclone", vmid: TEMPLATE_VMID, atFraction: 0 };
    const message = "clone failed: unable to create VM 100: config file already exists";
    const answer = await fetch(`${stage.host.control}/tasks/fail`, {
      method: "POST",
      body: JSON.stringify({ ...failing, message }),
      headers: { "content-type": "application/json" },
    });
    assert.ok(answer.ok, await answer.text());
    await run(stage, jobId);
    assert.deepEqual(await ended(stage, [jobId]), [done(101)]);
  });

  it("is no reason where the connection may make no guest at all", async () => {
    await connectAs(stage, stage, [
      { path: "/", privileges: MINIMAL_ROLE.filter((privilege) => privilege !== "VM.Allocate") },
    ]);
    const { jobId } = await queueGuest(stage, auto(stage));
    await run(stage, jobId);
    const [job] = await ended(stage, [jobId]);
    assert.deepEqual([job?.status, job?.vmid], ["failed", 100]);
    assert.match(String(job?.error), /Permission check failed/);
  });

  it("is kept by a creation that fails of something else", async () => {
    const { jobId } = await queueGuest(stage, auto(stage));
    const failure = { type: "qmclone", vmid: TEMPLATE_VMID, atFraction: 0.5, message: "storage is full", times: 1 };
    stage.host.platform.tasks.planFailure(failure);
    await run(stage, jobId);
    const [job] = await ended(stage, [jobId]);
    assert.deepEqual([job?.status, job?.vmid], ["failed", 100]);
    assert.match(String(job?.error), /storage is full$/);
    assert.equal((await stage.services.pool.query(`select from vmid_refusal`)).rowCount, 0);
  });

  /** A creation that an earlier worker has requested, whose request is carried out right before this one's. */
  const overtaken = async (overtake: (host: Hypervisor, wanted: Installation) => Promise<unknown>) => {
    const { jobId } = await queueGuest(stage, auto(stage));
    await stage.services.pool.query(`update job set facts = facts || '{"begun": ["create"]}' where id = $1`, [jobId]);
    let isFirst = true;
    const hypervisors = changedHosts(stage.services.hypervisors, (host) => ({
      install: async (wanted) => {
        if (isFirst) await overtake(host, wanted);
        isFirst = false;
        return host.install(wanted);
      },
    }));
    await run(stage, jobId, { ...stage.services, hypervisors });
    return ended(stage, [jobId]);
  };

  it("is kept when the guest in the way is that of an earlier request of the job", async () => {
    const jobs = await overtaken(async (host, wanted) => {
      await stage.host.platform.tasks.settled((await host.install(wanted)) ?? "");
    });
    assert.deepEqual(jobs, [done(100)]);
    assert.deepEqual([tasksOf(stage, "qmclone"), stage.host.platform.state.guests.has(101)], [1, false]);
    assert.notEqual(stage.host.platform.state.guests.get(100)?.runtime ?? null, null);
  });

  it("gives way when the guest in the way is another user's, though the job had requested its own before", async () => {
    assert.deepEqual(await overtaken(async () => placeForeign(stage, 100)), [done(101)]);
    assert.equal(stage.host.platform.state.guests.get(100)?.config["name"], "foreign");
  });

  for (const moment of MOMENTS) {
    it(`is replaced once by the worker that goes on when one dies ${moment} any of its writes`, async function () {
      this.timeout(1_800_000);
      let tried = 0;
      for (const write of places()) {
        const [first, second, third] = [1000, 1001, 1002].map((lowest) => lowest + tried * 10);
        assert.ok(first !== undefined && second !== undefined && third !== undefined);
        await setRange(stage, { lower: first, upper: first + 9 });
        placeForeign(stage, first);
        const clones = tasksOf(stage, "qmclone");
        const { jobId, vmid } = await queueGuest(stage, auto(stage));
        assert.equal(vmid, first);
        const services = overtakenHost(stage, second, () => placeForeign(stage, second));
        const died = await runKilled({ ...stage, services: { ...stage.services, ...services } }, jobId, {
          write,
          moment,
        });
        const where = `killed ${moment} write ${write}`;
        assert.deepEqual(await ended(stage, [jobId]), [done(third)], where);
        assert.notEqual(stage.host.platform.state.guests.get(third)?.runtime ?? null, null, `${where}: the guest runs`);
        assert.equal(stage.host.platform.state.guests.has(third + 1), false, `${where}: no second guest`);
        assert.equal(tasksOf(stage, "qmclone") - clones, 1, `${where}: cloned once`);
        assert.equal(await holdings(stage), 0, where);
        tried++;
        if (!died) break;
      }
      assert.ok(tried >= triedOf(12), "the worker was killed at many places");
    });
  }
});
