// What a failed creation has made: ended while it is being made, removed, and named as left only when it is still there.
import assert from "node:assert/strict";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import { DroverError } from "../../src/errors/errors.js";
import { platformError, PlatformReason } from "../../src/hypervisor/platformError.js";
import { runJob } from "../../jobs/engine/executor.js";
import { changedHosts } from "./changedHosts.js";
import { holdings, jobRow, machineRequest, openStage, queueGuest, type Stage } from "./creation.js";
import { executorFor, withMethods } from "./killing.js";
import { PLACE } from "./place.js";

const refuse = (): Promise<never> => Promise.reject(new DroverError("platform", "no more memory"));

describe("what a creation that failed has made", () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage.close());

  const isThere = (vmid: number): boolean => stage.host.platform.state.guests.has(vmid);
  const create = async (vmid: number, change: (host: Hypervisor, jobId: number) => Partial<Hypervisor>) => {
    const { jobId } = await queueGuest(stage, machineRequest(stage, { vmid, memoryMb: 64, diskGb: 2 }));
    const hypervisors = changedHosts(stage.services.hypervisors, (host) => change(host, jobId));
    await runJob(executorFor({ ...stage.services, hypervisors }, "test"), jobId);
    return (await jobRow(stage, jobId))["error"];
  };

  it("is ended first while the platform is still making it, and looked for when that has ended", async () => {
    const { tasks } = stage.host.platform;
    const { bytesPerSecond } = tasks;
    tasks.bytesPerSecond = 1;
    const done: string[] = [];
    let clone: string | null = null;
    let toldOf: unknown;
    const error = await create(400, (host, jobId) => ({
      waitForTask: async (upid, options) => {
        if (clone === null) {
          clone = upid;
          throw platformError(PlatformReason.FORBIDDEN, "not any more");
        }
        const outcome = await host.waitForTask(upid, options);
        done.push(`${upid === clone ? "making" : "another task"} ended`);
        return outcome;
      },
      stopTask: async (upid) => {
        toldOf = Object((await jobRow(stage, jobId))["facts"])["undoing"];
        assert.equal(upid, clone);
        done.push("stop");
        await host.stopTask(upid);
      },
      guestConfig: (guest, view) => {
        if (guest.vmid === 400) done.push("look");
        return host.guestConfig(guest, view);
      },
    }));
    tasks.bytesPerSecond = bytesPerSecond;
    assert.deepEqual([error, isThere(400)], [`${PLACE}: not any more`, false]);
    assert.deepEqual(done, ["stop", "making ended", "look"]);
    assert.equal(toldOf, "ending the task that makes VM 400 on node pvea");
    assert.equal(await holdings(stage), 0);
  });

  /** A host that has forgotten the destruction when it is asked how it ended. */
  const forgetful = (host: Hypervisor): Partial<Hypervisor> => {
    let destruction: string | null = null;
    return {
      power: refuse,
      destroy: async (...call) => {
        destruction = await host.destroy(...call);
        await stage.host.platform.tasks.settled(destruction ?? "");
        return destruction;
      },
      waitForTask: (upid, options) =>
        upid === destruction
          ? Promise.reject(platformError(PlatformReason.NOT_FOUND, "no such task"))
          : host.waitForTask(upid, options),
    };
  };

  it("is not named as left when it is gone and the platform has forgotten its destruction", async () => {
    assert.equal(await create(401, forgetful), `${PLACE}: no more memory`);
    assert.equal(isThere(401), false);
  });

  it("is named as left when it is there and the platform has forgotten its destruction", async () => {
    const failure = { type: "qmdestroy", vmid: 402, atFraction: 0, message: "storage is away", times: 1 };
    stage.host.platform.tasks.planFailure(failure);
    assert.equal(
      await create(402, forgetful),
      `${PLACE}: no more memory; left behind: VM 402 on node pvea (it is still there)`,
    );
    assert.equal(isThere(402), true);
  });

  it("is named together with its record when that cannot be rolled back", async () => {
    const { pool } = stage.services;
    let isBroken = false;
    const connect = () => (isBroken ? Promise.reject(new Error("nothing is rolled back")) : pool.connect());
    const query = (...call: unknown[]) => Reflect.apply(pool.query.bind(pool), pool, call);
    const { jobId } = await queueGuest(stage, machineRequest(stage, { vmid: 403, memoryMb: 64, diskGb: 2 }));
    const hypervisors = changedHosts(stage.services.hypervisors, () => ({
      power: () => {
        isBroken = true;
        return refuse();
      },
    }));
    const services = { ...stage.services, hypervisors, pool: withMethods(pool, { connect, query }) };
    await runJob(executorFor(services, "test"), jobId);
    const { error } = await jobRow(stage, jobId);
    assert.equal(error, `${PLACE}: no more memory; left behind: internal error; the service's log has the details`);
    assert.equal(isThere(403), false);
  });
});
