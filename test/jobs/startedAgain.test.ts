// Guests that somebody or something starts while a job is about to destroy them: what was stopped once may run by then.
import assert from "node:assert/strict";
import { deleteSafetyCopies } from "../../src/actions/guest/safetyCopy.js";
import { GuestType, PowerAction } from "../../src/core/enums.js";
import { DroverError } from "../../src/errors/errors.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import { launchContainerStart } from "../../simulator/lxc/start.js";
import { launchStart } from "../../simulator/qemu/start.js";
import { removeGuest } from "../../simulator/scenarios/placeGuest.js";
import { runJob } from "../../jobs/engine/executor.js";
import { plant } from "../support/rows.js";
import { contextFor } from "../support/viewers.js";
import { changedHosts } from "./changedHosts.js";
import { containerRequest, jobRow, machineRequest, queueGuest, type Stage } from "./creation.js";
import { placeToDelete, queueDeletion } from "./deletion.js";
import { executorFor, runKilled, tasksOf } from "./killing.js";
import {
  CONTAINER_SETTINGS,
  MACHINE_SETTINGS,
  openReinstallationStage,
  placeOwned,
  queueReinstallation,
} from "./reinstallation.js";
import { PLACE } from "./place.js";

const TYPES: readonly GuestType[] = [GuestType.QEMU, GuestType.LXC];
const destroyOf = { qemu: "qmdestroy", lxc: "vzdestroy" } as const;
const BY_HAND = { label: "root@pam" };

describe("a guest that is started while a job is about to destroy it", () => {
  let stage: Stage;
  before(async () => {
    stage = await openReinstallationStage();
  });
  after(() => stage.close());

  const placed = (vmid: number) => stage.host.platform.state.guests.get(vmid);
  const runs = (vmid: number): boolean => (placed(vmid)?.runtime ?? null) !== null;
  /** Orders a start at the host itself; the guest runs when the task ends. @returns its UPID */
  const startByHand = (vmid: number, type: GuestType): string => {
    const order = { node: "pvea", vmid, identity: BY_HAND };
    return type === GuestType.LXC
      ? launchContainerStart(stage.host.platform, order)
      : launchStart(stage.host.platform, order);
  };
  const startedByHand = (vmid: number): Promise<void> =>
    stage.host.platform.tasks.settled(startByHand(vmid, GuestType.QEMU));
  /** The old system, once the job has stopped it. */
  const isStoppedOld = (vmid: number, type: GuestType): boolean =>
    placed(vmid) !== undefined && !runs(vmid) && tasksOf(stage, destroyOf[type], vmid) === 0;
  const run = async (jobId: number, change: Parameters<typeof changedHosts>[1]): Promise<Record<string, unknown>> => {
    const hypervisors = changedHosts(stage.services.hypervisors, change);
    await runJob(executorFor({ ...stage.services, hypervisors }, "test"), jobId);
    return jobRow(stage, jobId);
  };
  const placeSmall = (vmid: number, type: GuestType, status: "running" | "stopped" = "running"): Promise<void> =>
    placeToDelete(stage, vmid, { type, status });

  for (const [index, type] of TYPES.entries()) {
    const at = (vmid: number): number => vmid + 50 * index;

    it(`is stopped once more by the worker that takes up its reinstallation (${type})`, async function () {
      this.timeout(1_800_000);
      const config = type === "qemu" ? MACHINE_SETTINGS : CONTAINER_SETTINGS;
      let started = 0;
      let vmid = 6000 + 100 * index;
      for (let write = 1, died = true; died; write++, vmid++) {
        await placeOwned(stage, vmid, { type, config, memory: 32, diskGb: 2 });
        const jobId = await queueReinstallation(stage, vmid, {}, type);
        died = await runKilled(stage, jobId, { write, moment: "after" }, () => {
          if (!isStoppedOld(vmid, type)) return;
          started++;
          startByHand(vmid, type);
        });
        const { status, error } = await jobRow(stage, jobId);
        assert.deepEqual([status, error], ["done", null], `killed after write ${write}`);
        assert.ok(runs(vmid), `killed after write ${write}: the guest runs`);
        removeGuest(stage.host.platform, vmid);
      }
      assert.ok(started >= 3, `it was started at ${started} places`);
    });

    it(`is stopped once more by the worker that takes up its deletion (${type})`, async function () {
      this.timeout(1_800_000);
      let started = 0;
      let vmid = 7000 + 100 * index;
      for (let write = 1, died = true; died; write++, vmid++) {
        await placeSmall(vmid, type);
        const jobId = await queueDeletion(stage, vmid, type);
        died = await runKilled(stage, jobId, { write, moment: "after" }, () => {
          if (!isStoppedOld(vmid, type)) return;
          started++;
          startByHand(vmid, type);
        });
        const { status, error } = await jobRow(stage, jobId);
        assert.deepEqual([status, error], ["done", null], `killed after write ${write}`);
        assert.equal(placed(vmid), undefined, `killed after write ${write}: the guest is gone`);
      }
      assert.ok(started >= 2, `it was started at ${started} places`);
    });

    it(`is not taken for stopped while a start is under way (${type})`, async () => {
      const vmid = at(310);
      await placeSmall(vmid, type, "stopped");
      let looks = 0;
      let stops = 0;
      let destructions = 0;
      /** What was seen of the guest while its start was at work. */
      let early: Awaited<ReturnType<Hypervisor["guestStatus"]>> | null = null;
      const { error } = await run(await queueDeletion(stage, vmid, type), (host) => ({
        activeTasks: async (...call) => {
          if (++looks > 1) return host.activeTasks(...call);
          early = await host.guestStatus({ type, node: "pvea", vmid });
          const upid = startByHand(vmid, type);
          await stage.host.platform.tasks.settled(upid);
          return [await host.task(upid)];
        },
        guestStatus: async (...call) => {
          const seen = early ?? (await host.guestStatus(...call));
          early = null;
          return seen;
        },
        power: (...call) => {
          stops++;
          return host.power(...call);
        },
        destroy: (...call) => {
          destructions++;
          return host.destroy(...call);
        },
      }));
      assert.deepEqual([error, stops, destructions, placed(vmid)], [null, 1, 1, undefined]);
      assert.ok(looks > 1);
    });

    it(`is stopped and destroyed although it was started right before its destruction (${type})`, async () => {
      const vmid = at(311);
      await placeSmall(vmid, type);
      let times = 0;
      const { error } = await run(await queueDeletion(stage, vmid, type), (host) => ({
        destroy: async (...call) => {
          if (++times === 1) await stage.host.platform.tasks.settled(startByHand(vmid, type));
          return host.destroy(...call);
        },
      }));
      assert.deepEqual([error, times, placed(vmid)], [null, 2, undefined]);
    });

    it(`is stopped and destroyed although the task of its destruction found it running (${type})`, async () => {
      const vmid = at(312);
      await placeSmall(vmid, type);
      const { platform } = stage.host;
      let times = 0;
      const { error } = await run(await queueDeletion(stage, vmid, type), (host) => ({
        destroy: async (...call) => {
          if (++times > 1) return host.destroy(...call);
          const message = `unable to destroy ${vmid}: it is running`;
          platform.tasks.planFailure({ type: destroyOf[type], vmid, atFraction: 0, message, times: 1 });
          const destruction = await host.destroy(...call);
          await platform.tasks.settled(destruction ?? "");
          await platform.tasks.settled(startByHand(vmid, type));
          return destruction;
        },
      }));
      assert.deepEqual([error, times, placed(vmid)], [null, 2, undefined]);
    });

    it(`is left, in the platform's words, when it is started again and again (${type})`, async () => {
      const vmid = at(313);
      await placeSmall(vmid, type);
      let times = 0;
      const { error } = await run(await queueDeletion(stage, vmid, type), (host) => ({
        destroy: async (...call) => {
          times++;
          await stage.host.platform.tasks.settled(startByHand(vmid, type));
          return host.destroy(...call);
        },
      }));
      assert.match(String(error), /is running.*; left behind: .*which was to be stopped first$/);
      assert.deepEqual([times, runs(vmid)], [3, true]);
    });

    it(`is removed with a creation that failed, although something starts it meanwhile (${type})`, async () => {
      const vmid = at(314);
      const request = type === "qemu" ? machineRequest(stage, { vmid }) : containerRequest({ vmid });
      const { jobId } = await queueGuest(stage, request);
      let times = 0;
      const { error } = await run(jobId, (host) => ({
        power: (guest, action) =>
          action === PowerAction.START
            ? Promise.reject(new DroverError("platform", "no more memory"))
            : host.power(guest, action),
        destroy: async (...call) => {
          if (++times === 1) await stage.host.platform.tasks.settled(startByHand(vmid, type));
          return host.destroy(...call);
        },
      }));
      assert.deepEqual([error, times, placed(vmid)], [`${PLACE}: no more memory`, 2, undefined]);
    });

    it(`leaves nothing behind when it is gone although its destruction failed (${type})`, async () => {
      const vmid = at(315);
      const request = type === "qemu" ? machineRequest(stage, { vmid }) : containerRequest({ vmid });
      const { jobId } = await queueGuest(stage, request);
      const { error } = await run(jobId, (host) => ({
        power: (guest, action) =>
          action === PowerAction.START
            ? Promise.reject(new DroverError("platform", "no more memory"))
            : host.power(guest, action),
        destroy: async (...call) => {
          await stage.host.platform.tasks.settled((await host.destroy(...call)) ?? "");
          throw new DroverError("platform", "the task was killed");
        },
      }));
      assert.deepEqual([error, placed(vmid)], [`${PLACE}: no more memory`, undefined]);
    });
  }

  const copyToDelete = async (vmid: number): Promise<number> => {
    await placeToDelete(stage, vmid, { status: "stopped", config: { tags: "drover-migrated" } });
    const { rows } = await stage.services.pool.query<{ id: number }>(
      `update guest set safety_copy = true where vmid = $1 and gone_at is null returning id`,
      [vmid],
    );
    const [job] = await deleteSafetyCopies(await contextFor(stage.services), [rows[0]?.id ?? 0]);
    return job?.jobId ?? 0;
  };

  for (const [what, vmid, rollBack, reason] of [
    ["started", 330, (guest: number) => startedByHand(guest), "it was started"],
    ["given another tag", 331, (guest: number) => delete placed(guest)?.config["tags"], "its tag was taken off"],
  ] as const) {
    it(`is kept when it is a safety copy that was ${what} after it was examined`, async () => {
      const jobId = await copyToDelete(vmid);
      await plant(stage.services.pool, { job_step: [{ job_id: jobId, name: "examine", position: 0 }] });
      await rollBack(vmid);
      await runJob(executorFor(stage.services, "successor"), jobId);
      assert.match(String((await jobRow(stage, jobId))["error"]), new RegExp(reason));
      assert.notEqual(placed(vmid), undefined);
    });
  }
});
