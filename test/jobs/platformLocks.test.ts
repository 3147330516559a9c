// Locks of the platform that others hold for a while: jobs of every kind wait for them, say so, and give up when the setting says.
import assert from "node:assert/strict";
import { runJob } from "../../jobs/engine/executor.js";
import { GuestType } from "../../src/core/enums.js";
import { withoutPauses } from "../support/handTime.js";
import { control } from "../inventory/support/control.js";
import { until } from "../support/until.js";
import {
  containerRequest,
  holdings,
  jobRow,
  machineRequest,
  openStage,
  queueGuest,
  TEMPLATE_VMID,
  type Stage,
} from "./creation.js";
import { placeToDelete, queueDeletion } from "./deletion.js";
import { executorFor, MOMENTS, runKilled, tasksOf } from "./killing.js";
import { places, triedOf } from "./places.js";
import { openReinstallationStage, placeOwned, queueReinstallation } from "./reinstallation.js";

const busy = (vmid: number): string => `can't lock file '/var/lock/qemu-server/lock-${vmid}.conf' - got timeout`;

/** Runs the job to its end, without its pauses. @returns its row then */
async function runToEnd(stage: Stage, jobId: number): Promise<Record<string, unknown>> {
  await runJob({ ...executorFor(stage.services, "test"), stopwatch: withoutPauses(15_000) }, jobId);
  return jobRow(stage, jobId);
}

/** The next requests like this one are refused. */
const refuse = ({ host }: Stage, request: string, { message, times = 2 }: { message: string; times?: number }) => {
  const [method, path] = request.split(" ");
  return control(host.control).post("/faults", { method, path, times, effect: "status", status: 500, message });
};

/** Takes the lock file of a guest, as another task does. @returns lets it go */
function holdLock({ host }: Stage, guest: { type: GuestType; vmid: number }): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const held = host.platform.locks.hold(guest, () => promise);
  return () => {
    resolve();
    return held;
  };
}

/** How the host has answered all requests like this one. */
async function answersTo({ host }: Stage, wanted: string): Promise<number[]> {
  const [method, path = ""] = wanted.split(" ");
  const requests: { method: string; path: string; status: number }[] = JSON.parse(
    await (await fetch(`${host.control}/requests?since=0`)).text(),
  );
  const like = requests.filter((request) => request.method === method && new RegExp(path).test(request.path));
  return like.map(({ status }) => status);
}

describe("a lock of the platform", () => {
  describe("in a creation", () => {
    let stage: Stage;
    beforeEach(async () => {
      stage = await openStage();
    });
    afterEach(() => stage.close());

    const machineRequests = [
      ["POST", `/qemu/${TEMPLATE_VMID}/clone$`],
      ["POST", "/qemu/120/config$"],
      ["PUT", "/qemu/120/resize$"],
      ["POST", "/qemu/120/status/start$"],
    ] as const;
    for (const [method, path] of machineRequests) {
      for (const message of [busy(120), "VM is locked (backup)", "cfs-lock 'x' error: got lock request timeout"]) {
        it(`is waited for when it refuses ${method} ${path} (${message})`, async () => {
          const { jobId, vmid } = await queueGuest(stage, machineRequest(stage));
          await refuse(stage, `${method} ${path}`, { message });
          const { status, error } = await runToEnd(stage, jobId);
          assert.deepEqual([status, error], ["done", null]);
          assert.deepEqual(await answersTo(stage, `${method} ${path}`), [500, 500, 200]);
          assert.notEqual(stage.host.platform.state.guests.get(vmid)?.runtime, null);
        });
      }
    }

    for (const path of ["/nodes/pvea/lxc$", "/lxc/130/config$", "/lxc/130/status/start$"]) {
      it(`of a container is waited for when it refuses ${path}`, async () => {
        const { jobId, vmid } = await queueGuest(stage, containerRequest());
        const method = path.endsWith("config$") ? "PUT" : "POST";
        await refuse(stage, `${method} ${path}`, {
          message: "can't lock file '/run/lock/lxc/pve-config-130.lock' - got timeout",
        });
        const { status, error } = await runToEnd(stage, jobId);
        assert.deepEqual([status, error], ["done", null]);
        assert.notEqual(stage.host.platform.state.guests.get(vmid)?.runtime, null);
      });
    }

    it("is waited for when the task of the clone fails of it, and the job reports what it waits for", async () => {
      const release = holdLock(stage, { type: GuestType.QEMU, vmid: TEMPLATE_VMID });
      const { jobId, vmid } = await queueGuest(stage, machineRequest(stage));
      const ended = runToEnd(stage, jobId);
      const reason = await until("the wait is on record", async () => {
        const { rows } = await stage.services.pool.query<{ reason: string }>(
          `select facts->'waiting'->>'reason' as reason from job where id = $1 and facts ? 'waiting'`,
          [jobId],
        );
        return rows[0]?.reason;
      });
      assert.equal(reason, `qmclone on node pvea of host pvea failed: ${busy(TEMPLATE_VMID)}`);
      await release();
      const { status, error, facts, upids } = await ended;
      assert.deepEqual([status, error], ["done", null]);
      assert.ok(!Object.hasOwn(Object(facts), "waiting"));
      const clones = tasksOf(stage, "qmclone");
      assert.ok(clones >= 3, `${clones} clones were tried`);
      assert.ok(Array.isArray(upids) && upids.length >= clones);
      assert.notEqual(stage.host.platform.state.guests.get(vmid)?.runtime, null);
      assert.deepEqual(
        [...stage.host.platform.state.guests.keys()].toSorted((left, right) => left - right),
        [vmid, TEMPLATE_VMID],
      );
    });

    it("fails the job when the time of the setting is up, and nothing stays", async () => {
      await stage.services.pool.query(`update setting set lock_wait_seconds = 0`);
      const { jobId, vmid } = await queueGuest(stage, machineRequest(stage));
      await refuse(stage, `POST /qemu/${TEMPLATE_VMID}/clone$`, { message: busy(TEMPLATE_VMID), times: 1 });
      const { status, error } = await runToEnd(stage, jobId);
      assert.deepEqual([status, error], ["failed", `node pvea of host pvea: ${busy(TEMPLATE_VMID)}`]);
      assert.equal(stage.host.platform.state.guests.has(vmid), false);
      assert.equal(await holdings(stage), 0);
    });

    it("is waited for when what a failed creation has made is removed", async () => {
      const { jobId, vmid } = await queueGuest(stage, machineRequest(stage));
      await refuse(stage, "POST /qemu/120/status/start$", { message: "no such machine type", times: 1 });
      const removal = `DELETE /qemu/${vmid}$`;
      await refuse(stage, removal, { message: busy(vmid) });
      const { error } = await runToEnd(stage, jobId);
      assert.match(String(error), /no such machine type$/);
      assert.equal(stage.host.platform.state.guests.has(vmid), false);
      assert.deepEqual(await answersTo(stage, removal), [500, 500, 200]);
    });
  });

  describe("in a creation whose worker is killed", () => {
    let stage: Stage;
    before(async () => {
      stage = await openStage();
    });
    after(() => stage.close());

    for (const moment of MOMENTS) {
      it(`is waited for by the next worker, ${moment} whichever write it happens`, async () => {
        let vmid = moment === "before" ? 1000 : 2000;
        for (const write of places()) {
          const clones = tasksOf(stage, "qmclone");
          const { jobId } = await queueGuest(stage, machineRequest(stage, { vmid, memoryMb: 64, diskGb: 2 }));
          await refuse(stage, `POST /qemu/${TEMPLATE_VMID}/clone$`, { message: busy(TEMPLATE_VMID), times: 1 });
          const died = await runKilled(stage, jobId, { write, moment });
          const where = `killed ${moment} write ${write}`;
          const { status, error } = await jobRow(stage, jobId);
          assert.deepEqual([status, error], ["done", null], where);
          assert.equal(tasksOf(stage, "qmclone") - clones, 1, `${where}: cloned once`);
          assert.equal(await holdings(stage), 0, where);
          if (!died) break;
          vmid++;
        }
        assert.ok(vmid % 1000 >= triedOf(10), "the worker was killed at many places");
      });
    }
  });

  describe("in a deletion", () => {
    let stage: Stage;
    before(async () => {
      stage = await openStage();
    });
    after(() => stage.close());

    for (const [index, path] of ["POST /qemu/VMID/status/stop$", "DELETE /qemu/VMID$"].entries()) {
      it(`is waited for when it refuses ${path}`, async () => {
        const vmid = 300 + index;
        await placeToDelete(stage, vmid);
        await refuse(stage, path.replace("VMID", String(vmid)), { message: busy(vmid) });
        const { status, error } = await runToEnd(stage, await queueDeletion(stage, vmid));
        assert.deepEqual([status, error], ["done", null]);
        assert.equal(stage.host.platform.state.guests.has(vmid), false);
      });
    }

    it("is waited for when the task of the removal fails of it", async () => {
      await placeToDelete(stage, 310, { status: "stopped" });
      const release = holdLock(stage, { type: GuestType.QEMU, vmid: 310 });
      const ended = runToEnd(stage, await queueDeletion(stage, 310));
      await until("two tasks have failed of the lock", () => tasksOf(stage, "qmdestroy", 310) > 2);
      await release();
      const { status, error } = await ended;
      assert.deepEqual([status, error], ["done", null]);
      assert.equal(stage.host.platform.state.guests.has(310), false);
    });
  });

  describe("in a reinstallation", () => {
    let stage: Stage;
    before(async () => {
      stage = await openReinstallationStage();
    });
    after(() => stage.close());

    const moments = ["status/stop$", "status/start$", "config$"].map((path) => `POST /qemu/VMID/${path}`);
    for (const [index, moment] of [...moments, "DELETE /qemu/VMID$", "PUT /firewall/options$"].entries()) {
      it(`is waited for when it refuses ${moment}`, async () => {
        const vmid = 400 + index;
        await placeOwned(stage, vmid);
        await refuse(stage, moment.replace("VMID", String(vmid)), { message: busy(vmid) });
        const { status, error } = await runToEnd(stage, await queueReinstallation(stage, vmid));
        assert.deepEqual([status, error], ["done", null]);
        assert.notEqual(stage.host.platform.state.guests.get(vmid)?.runtime, null);
      });
    }

    it("is waited for when the task of the clone fails of it", async () => {
      await placeOwned(stage, 410);
      const release = holdLock(stage, { type: GuestType.QEMU, vmid: TEMPLATE_VMID });
      const before = tasksOf(stage, "qmclone");
      const ended = runToEnd(stage, await queueReinstallation(stage, 410));
      await until("two tasks have failed of the lock", () => tasksOf(stage, "qmclone") > before + 2);
      await release();
      const { status, error } = await ended;
      assert.deepEqual([status, error], ["done", null]);
      assert.notEqual(stage.host.platform.state.guests.get(410)?.runtime, null);
    });
  });
});
