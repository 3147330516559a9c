// Creations on a platform that answers late, not at all, or has forgotten what it was asked: they go on, and make each guest once.
import assert from "node:assert/strict";
import { runJob } from "../../jobs/engine/executor.js";
import type { Hypervisors } from "../../src/hypervisor/hypervisor.js";
import { platformError, PlatformReason } from "../../src/hypervisor/platformError.js";
import { noPlatform } from "../support/services.js";
import { containerRequest, jobRow, machineRequest, openStage, queueGuest, type Stage } from "./creation.js";
import { executorFor } from "./killing.js";

/** A host that clones only when the service has looked for the new machine in vain. */
function lateCloning({ services: { hypervisors } }: Stage, vmid: number): Hypervisors {
  return {
    ...noPlatform,
    async patient(hostId, signal) {
      const host = await hypervisors.patient(hostId, signal);
      let late: (() => Promise<unknown>) | null = null;
      return {
        ...host,
        install(installation) {
          late = () => host.install(installation);
          return Promise.reject(platformError(PlatformReason.UNCERTAIN, "the host did not answer"));
        },
        async guestConfig(guest, view) {
          if (guest.vmid !== vmid || late === null) return host.guestConfig(guest, view);
          const clone = late;
          late = null;
          try {
            return await host.guestConfig(guest, view);
          } finally {
            await clone();
          }
        },
      };
    },
  };
}

describe("creating a guest on a platform whose answers are lost", () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage.close());

  it("goes on when the platform fails to answer a question now and then", async () => {
    const { jobId } = await queueGuest(stage, machineRequest(stage, { vmid: 160 }));
    for (const path of ["/cluster/nextid", "/tasks/.*/status", "/qemu/160/config", "/qemu/160/status/current"]) {
      const fault = { method: "GET", path, times: 1, effect: "status", status: 500, message: "a bad moment" };
      const set = await fetch(`${stage.host.control}/faults`, {
        method: "POST",
        body: JSON.stringify(fault),
        headers: { "content-type": "application/json" },
      });
      assert.ok(set.ok);
    }
    await runJob(executorFor(stage.services, "test"), jobId);
    assert.equal((await jobRow(stage, jobId))["error"], null);
    const answers: { path: string; status: number }[] = JSON.parse(
      await (await fetch(`${stage.host.control}/requests?since=0`)).text(),
    );
    assert.equal(answers.filter(({ status }) => status === 500).length, 4);
  });

  it("goes on when the host accepts no credential for a moment, whatever it is asked then", async () => {
    const { jobId, vmid } = await queueGuest(stage, machineRequest(stage, { vmid: 165 }));
    const shut = { times: 1, effect: "status", status: 401, message: "ipcc_send_rec[1] failed: Connection refused" };
    const moments = [
      "GET /cluster/nextid",
      "POST /clone$",
      "GET /tasks/.*/status",
      "GET /qemu/165/config",
      "POST /status/start$",
    ];
    for (const moment of moments) {
      const [method, path] = moment.split(" ");
      const set = await fetch(`${stage.host.control}/faults`, {
        method: "POST",
        body: JSON.stringify({ ...shut, method, path }),
      });
      assert.ok(set.ok, await set.text());
    }
    await runJob(executorFor(stage.services, "test"), jobId);
    assert.equal((await jobRow(stage, jobId))["error"], null);
    assert.notEqual(stage.host.platform.state.guests.get(vmid)?.runtime, null);
    const answers: { status: number }[] = JSON.parse(
      await (await fetch(`${stage.host.control}/requests?since=0`)).text(),
    );
    assert.equal(answers.filter(({ status }) => status === 401).length, moments.length);
  });

  const lost = [
    { method: "POST", path: "/qemu/VMID/config$", afterwards: true },
    { method: "POST", path: "/qemu/VMID/config$", afterwards: false },
    { method: "PUT", path: "/qemu/VMID/resize$", afterwards: true },
    { method: "PUT", path: "/qemu/VMID/resize$", afterwards: false },
    { method: "POST", path: "/qemu/VMID/status/start$", afterwards: true },
    { method: "POST", path: "/qemu/VMID/status/start$", afterwards: false },
  ];
  for (const [index, { method, path, afterwards }] of lost.entries()) {
    it(`gives ${method} ${path} again when the connection breaks ${afterwards ? "after" : "before"} it`, async () => {
      const { jobId, vmid } = await queueGuest(stage, machineRequest(stage, { vmid: 170 + index }));
      const fault = { method, path: path.replace("VMID", String(vmid)), times: 1, effect: "drop", afterwards };
      const set = await fetch(`${stage.host.control}/faults`, { method: "POST", body: JSON.stringify(fault) });
      assert.ok(set.ok, await set.text());
      await runJob(executorFor(stage.services, "test"), jobId);
      assert.equal((await jobRow(stage, jobId))["error"], null);
      const guest = stage.host.platform.state.guests.get(vmid);
      assert.notEqual(guest?.runtime, null);
      assert.match(String(guest?.config["scsi0"]), /size=4G/);
      assert.equal(guest?.config["description"], undefined);
    });
  }

  it("finds the machine that the platform begins to make long after its answer was lost", async () => {
    const { jobId, vmid } = await queueGuest(stage, machineRequest(stage, { vmid: 180 }));
    await runJob(
      {
        ...executorFor(stage.services, "test"),
        services: { ...stage.services, hypervisors: lateCloning(stage, vmid) },
      },
      jobId,
    );
    assert.equal((await jobRow(stage, jobId))["error"], null);
    assert.notEqual(stage.host.platform.state.guests.get(vmid)?.runtime, null);
  });

  for (const [index, type] of (["qmclone", "vzcreate"] as const).entries()) {
    it(`goes on with what was made when the platform has forgotten its ${type}`, async () => {
      const vmid = 186 + index;
      const request = type === "qmclone" ? machineRequest(stage, { vmid }) : containerRequest({ vmid });
      const { jobId } = await queueGuest(stage, request);
      const path = `/tasks/UPID[^/]*:${type}:[^/]*/status$`;
      const fault = { method: "GET", path, effect: "status", status: 400, message: "no such task" };
      const set = await fetch(`${stage.host.control}/faults`, { method: "POST", body: JSON.stringify(fault) });
      assert.ok(set.ok, await set.text());
      await runJob(executorFor(stage.services, "test"), jobId);
      await fetch(`${stage.host.control}/faults`, { method: "DELETE" });
      assert.equal((await jobRow(stage, jobId))["error"], null);
      assert.notEqual(stage.host.platform.state.guests.get(vmid)?.runtime, null);
    });
  }
});
