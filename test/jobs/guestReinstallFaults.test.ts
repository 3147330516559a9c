// Reinstallations in which something breaks: asked again, told when the guest is lost, and finished once whenever the worker dies.
import assert from "node:assert/strict";
import { runJob } from "../../jobs/engine/executor.js";
import { PowerAction } from "../../src/core/enums.js";
import { DroverError } from "../../src/errors/errors.js";
import { platformError, PlatformReason } from "../../src/hypervisor/platformError.js";
import { removeGuest } from "../../simulator/scenarios/placeGuest.js";
import { eventually } from "../support/eventually.js";
import { shiftableClock } from "../support/services.js";
import { changedHosts } from "./changedHosts.js";
import { holdings, jobRow, sync, type Stage } from "./creation.js";
import { executorFor, MOMENTS, runKilled, tasksOf } from "./killing.js";
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
import { places, triedOf } from "./places.js";
import { PLACE } from "./place.js";

const failNext = ({ host }: Stage, order: Record<string, unknown>): Promise<Response> =>
  fetch(`${host.control}/tasks/fail`, {
    method: "POST",
    body: JSON.stringify({ times: 1, ...order }),
    headers: { "content-type": "application/json" },
  });

describe("reinstalling a guest in spite of faults", () => {
  let stage: Stage;
  before(async () => {
    stage = await openReinstallationStage();
  });
  after(() => stage.close());

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
      await placeOwned(stage, vmid);
      const method = path.startsWith("/qemu") ? "DELETE" : "POST";
      const refusal = { method, path, times, effect: "status", status, message: "not at this moment" };
      const { ok } = await fetch(`${stage.host.control}/faults`, { method: "POST", body: JSON.stringify(refusal) });
      assert.ok(ok);
      assert.equal((await runToEnd(stage, await queueReinstallation(stage, vmid)))["error"], null);
      assert.notEqual(stage.host.platform.state.guests.get(vmid)?.runtime ?? null, null);
      assert.equal(configOf(stage, vmid)["description"], MACHINE_SETTINGS.description);
    });
  }

  it("starts the new one only when a lost order to stop the old one can no longer be carried out", async () => {
    await placeOwned(stage, 430);
    const { hypervisors, pool } = stage.services;
    const clock = shiftableClock();
    let lostAt = 0;
    let startedAfterMs = 0;
    let orderedAgain: unknown;
    const onRecord = async (): Promise<unknown> =>
      (await pool.query(`select facts -> 'orderedAgain' as orders from job where id = $1`, [jobId])).rows[0]?.orders;
    const changed = changedHosts(hypervisors, (host) => ({
      power: async (guest, action) => {
        const now = clock.now().getTime();
        if (action === PowerAction.START) startedAfterMs = now - lostAt;
        if (action === PowerAction.STOP && lostAt === 0) {
          lostAt = now;
          throw platformError(PlatformReason.UNCERTAIN, "the host did not answer");
        }
        if (action === PowerAction.STOP) orderedAgain = await onRecord();
        return host.power(guest, action);
      },
    }));
    const jobId = await queueReinstallation(stage, 430);
    const running = runJob(executorFor({ ...stage.services, clock, hypervisors: changed }, "worker"), jobId);
    const step = async (): Promise<unknown> =>
      (await pool.query(`select step from job where id = $1`, [jobId])).rows[0]?.step;
    await eventually(async () => assert.equal(await step(), "start"));
    clock.shift(40);
    await running;
    assert.equal((await jobRow(stage, jobId))["error"], null);
    assert.deepEqual(Object.keys(Object(orderedAgain)), [PowerAction.STOP], "recorded before it was made");
    assert.ok(startedAfterMs >= 35_000, `started after ${startedAfterMs} ms`);
  });

  it("reports that the guest is lost when the new one cannot be made", async () => {
    await placeOwned(stage, 407);
    await failNext(stage, { type: "qmclone", atFraction: 0.5, message: "storage is full" });
    const job = await runToEnd(stage, await queueReinstallation(stage, 407));
    assert.equal(
      job["error"],
      `qmclone on ${PLACE} failed: clone failed: storage is full; left behind: nothing of VM 407 on node pvea: the old installation had been removed already`,
    );
    assert.equal(configOf(stage, 407)["name"], undefined);
    assert.partialDeepStrictEqual(await rowsOf(stage, 407), [{ here: false }]);
    assert.equal(await holdings(stage), 0);
  });

  it("reports that the old one has to be looked at when its destruction failed", async () => {
    await placeOwned(stage, 431);
    const [before] = await rowsOf(stage, 431);
    await failNext(stage, { type: "qmdestroy", vmid: 431, atFraction: 0.5, message: "storage is away" });
    const job = await runToEnd(stage, await queueReinstallation(stage, 431));
    const left = "VM 431 on node pvea, which was to be removed: whether it is there has to be looked at";
    assert.equal(job["error"], `qmdestroy on ${PLACE} failed: storage is away; left behind: ${left}`);
    assert.deepEqual(await rowsOf(stage, 431), [{ ...Object(before), status: "stopped" }]);
  });

  it("goes on when the old one is gone, however its destruction ended", async () => {
    await placeOwned(stage, 419);
    const [before] = await rowsOf(stage, 419);
    await failNext(stage, { type: "qmdestroy", vmid: 419, atFraction: 1, message: "unexpected status" });
    assert.equal((await runToEnd(stage, await queueReinstallation(stage, 419)))["error"], null);
    await sync(stage);
    assert.partialDeepStrictEqual(await rowsOf(stage, 419), [before]);
  });

  it("leaves a guest that was made but cannot be started, under its record", async () => {
    await placeOwned(stage, 408);
    const [before] = await rowsOf(stage, 408);
    await failNext(stage, { type: "qmstart", vmid: 408, atFraction: 0.5, message: "no more memory" });
    const job = await runToEnd(stage, await queueReinstallation(stage, 408));
    assert.match(
      String(job["error"]),
      /^qmstart on node pvea of host pvea failed: no more memory; left behind: VM 408 on node pvea, reinstalled but/,
    );
    await sync(stage);
    assert.deepEqual(await rowsOf(stage, 408), [{ ...Object(before), status: "stopped" }]);
    assert.equal((await runToEnd(stage, await queueReinstallation(stage, 408)))["error"], null);
  });

  it("leaves a guest that was made but could not be recorded, under the record of the old one", async () => {
    await placeOwned(stage, 432);
    const [before] = await rowsOf(stage, 432);
    let isMade = false;
    const hypervisors = changedHosts(stage.services.hypervisors, (host) => ({
      install: async (wanted) => {
        const upid = await host.install(wanted);
        await stage.host.platform.tasks.settled(upid ?? "");
        isMade = true;
        return upid;
      },
      guestConfig: (...call) =>
        isMade ? Promise.reject(new DroverError("platform", "nobody can tell")) : host.guestConfig(...call),
    }));
    const jobId = await queueReinstallation(stage, 432);
    await runJob(executorFor({ ...stage.services, hypervisors }, "test"), jobId);
    const left = "VM 432 on node pvea, reinstalled but not set up completely";
    assert.equal((await jobRow(stage, jobId))["error"], `${PLACE}: nobody can tell; left behind: ${left}`);
    await sync(stage);
    assert.deepEqual(await rowsOf(stage, 432), [{ ...Object(before), status: "stopped" }]);
  });

  for (const moment of MOMENTS) {
    for (const type of ["qemu", "lxc"] as const) {
      it(`of type ${type} is finished exactly once when the worker dies ${moment} any of its writes`, async function () {
        this.timeout(1_800_000);
        const config = type === "qemu" ? MACHINE_SETTINGS : CONTAINER_SETTINGS;
        const firewall = "[OPTIONS]\n\nenable: 1\n\n[RULES]\n\nIN ACCEPT -p tcp -dport 22\nIN DROP\n";
        const first = (moment === "before" ? 4000 : 5000) + (type === "qemu" ? 0 : 500);
        let vmid = first;
        for (const write of places()) {
          await placeOwned(stage, vmid, { type, config, memory: 32, diskGb: 2, firewall });
          const before = await rowsOf(stage, vmid);
          const jobId = await queueReinstallation(stage, vmid, {}, type);
          const died = await runKilled(stage, jobId, { write, moment });
          const where = `killed ${moment} write ${write}`;
          const job = await jobRow(stage, jobId);
          assert.equal(job["error"], null, where);
          assert.equal(job["status"], "done", where);
          assert.notEqual(
            stage.host.platform.state.guests.get(vmid)?.runtime ?? null,
            null,
            `${where}: the guest runs`,
          );
          assert.equal(configOf(stage, vmid)["net0"], config.net0, where);
          assert.equal(configOf(stage, vmid)["tags"], config.tags, where);
          assert.equal(stage.host.platform.state.guests.get(vmid)?.firewall, firewall, where);
          assert.equal(tasksOf(stage, type === "qemu" ? "qmdestroy" : "vzdestroy", vmid), 1, where);
          await sync(stage);
          assert.deepEqual(await rowsOf(stage, vmid), before, where);
          // Syncs of the guests of earlier rounds would take longer and longer.
          removeGuest(stage.host.platform, vmid);
          if (!died) break;
          vmid++;
        }
        assert.ok(vmid - first >= triedOf(15), "the worker was killed at many places");
      });
    }
  }
});
