// A database that was restored from a backup: its unfinished jobs meet guests that went on without them.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { runJob } from "../../jobs/engine/executor.js";
import { reinstallGuest } from "../../src/actions/guest/reinstallGuest.js";
import { GuestType } from "../../src/core/enums.js";
import { placeGuest, removeGuest, type GuestPlan } from "../../simulator/scenarios/placeGuest.js";
import { contextFor } from "../support/viewers.js";
import { eventually } from "../support/eventually.js";
import {
  CONTAINER_TEMPLATE,
  containerRequest,
  jobRow,
  machineRequest,
  openStage,
  queueGuest,
  sync,
  type Stage,
} from "./creation.js";
import { dyingPool, executorFor, MOMENTS, type Place } from "./killing.js";
import { places } from "./places.js";

const SIZE = { memoryMb: 64, diskGb: 2 };

describe("a job of a restored database", () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage.close());

  const guestAt = (vmid: number) => stage.host.platform.state.guests.get(vmid);

  /** What the guest is, whoever is asked. */
  const portrait = (vmid: number): unknown =>
    structuredClone({ config: guestAt(vmid)?.config, runs: guestAt(vmid)?.runtime !== null });

  /** The database is as of this write of the job's worker. @returns whether the worker came so far */
  async function backUp(jobId: number, at: Place): Promise<boolean> {
    const { pool, died } = dyingPool(stage.services.pool, at);
    await runJob(executorFor({ ...stage.services, pool }, "before the backup"), jobId).catch((error: unknown) => {
      if (!died()) throw error;
    });
    await eventually(async () => assert.deepEqual([...stage.host.platform.tasks.active()], []));
    return died();
  }

  async function goOn(jobId: number): Promise<Record<string, unknown>> {
    await stage.services.pool.query(`update job set lease_until = now() - interval '1 second' where id = $1`, [jobId]);
    await runJob(executorFor(stage.services, "after the restore"), jobId);
    return jobRow(stage, jobId);
  }

  function replace(vmid: number, type: GuestType, changes: Partial<GuestPlan> = {}): void {
    removeGuest(stage.host.platform, vmid);
    const plan = { node: "pvea", name: "newer", status: "running", memory: 256, cores: 1, diskGb: 3 } as const;
    placeGuest(stage.host.platform, { ...plan, type, vmid, config: {}, snapshots: [], ...changes });
  }

  const queue = {
    [GuestType.QEMU]: (vmid: number) => queueGuest(stage, machineRequest(stage, { ...SIZE, vmid })),
    [GuestType.LXC]: (vmid: number) => queueGuest(stage, containerRequest({ ...SIZE, vmid })),
  };

  const reinstall = async (vmid: number, type: GuestType): Promise<number> => {
    const osTemplate = type === GuestType.QEMU ? `tpl:${stage.templateId}` : CONTAINER_TEMPLATE;
    const asked = { osTemplate, password: "correct horse" };
    return (await reinstallGuest(await contextFor(stage.services), { hostId: stage.hostId, type, vmid }, asked)).jobId;
  };

  let nextVmid = 1000;
  for (const moment of MOMENTS) {
    for (const type of [GuestType.QEMU, GuestType.LXC]) {
      it(`leaves another guest alone that has the VMID of its ${type} creation (backup ${moment} any write)`, async function () {
        this.timeout(1_800_000);
        for (const write of places()) {
          const vmid = nextVmid++;
          const { jobId } = await queue[type](vmid);
          const died = await backUp(jobId, { write, moment });
          if (!died) break;
          // Of containers only the time of their making tells, in seconds: a newer machine is another guest at once.
          replace(vmid, GuestType.QEMU);
          const before = portrait(vmid);
          const { status } = await goOn(jobId);
          assert.deepEqual(portrait(vmid), before, `backup ${moment} write ${write}`);
          assert.notEqual(status, "running");
        }
      });
    }

    it(`never removes the machine that it had completed after the backup (${moment} any write)`, async function () {
      this.timeout(1_800_000);
      for (const write of places()) {
        const vmid = nextVmid++;
        const { jobId } = await queue[GuestType.QEMU](vmid);
        const died = await backUp(jobId, { write, moment });
        if (!died) break;
        if (guestAt(vmid) === undefined) replace(vmid, GuestType.QEMU);
        delete guestAt(vmid)?.config["description"];
        await goOn(jobId);
        assert.ok(guestAt(vmid), `backup ${moment} write ${write}`);
      }
    });

    it(`leaves another guest alone that has the VMID of its reinstallation (backup ${moment} any write)`, async function () {
      this.timeout(1_800_000);
      for (const write of places()) {
        const vmid = nextVmid++;
        replace(vmid, GuestType.QEMU, { diskGb: 2 });
        await sync(stage);
        const jobId = await reinstall(vmid, GuestType.QEMU);
        const died = await backUp(jobId, { write, moment });
        if (!died) break;
        replace(vmid, GuestType.QEMU, { cores: 2, config: { smbios1: `uuid=${randomUUID()}` } });
        const before = portrait(vmid);
        const { status } = await goOn(jobId);
        assert.deepEqual(portrait(vmid), before, `backup ${moment} write ${write}`);
        assert.notEqual(status, "running");
        removeGuest(stage.host.platform, vmid);
      }
    });
  }
});
