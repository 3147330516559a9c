// Clones of one template: no more at a time than the setting says, the others in their turn; those of other templates are not kept.
import assert from "node:assert/strict";
import { runJob } from "../../jobs/engine/executor.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import { plant } from "../support/rows.js";
import { until } from "../support/until.js";
import { changedHosts } from "./changedHosts.js";
import { containerRequest, jobRow, machineRequest, openStage, queueGuest, type Stage } from "./creation.js";
import { executorFor } from "./killing.js";

describe("clones of one template", () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await openStage();
  });
  afterEach(() => stage.close());

  const waitsOf = async (jobId: number): Promise<string | null> => {
    const sql = `select facts->'waiting'->>'reason' as reason from job where id = $1`;
    return (await stage.services.pool.query<{ reason: string | null }>(sql, [jobId])).rows[0]?.reason ?? null;
  };
  const queueMachine = async (vmid: number): Promise<number> =>
    (await queueGuest(stage, machineRequest(stage, { vmid, name: `web${vmid}` }))).jobId;
  const statusOf = async (jobId: number): Promise<unknown> => (await jobRow(stage, jobId))["status"];
  const turns = async (): Promise<unknown[]> =>
    (await stage.services.pool.query(`select job_id, has_begun from clone_turn order by job_id`)).rows;

  /** Runs the job on a host of which some doings are changed. */
  const runOn = (jobId: number, change: (host: Hypervisor) => Partial<Hypervisor>, stopping?: AbortSignal) =>
    runJob(
      {
        ...executorFor({ ...stage.services, hypervisors: changedHosts(stage.services.hypervisors, change) }, "changed"),
        ...(stopping && { stopping }),
      },
      jobId,
    );

  it("are made two at a time where the setting is two, the others after them", async () => {
    await stage.services.pool.query(`update setting set clones_per_template = 2`);
    const gate = Promise.withResolvers<void>();
    const asked: number[] = [];
    const gated = (host: Hypervisor): Partial<Hypervisor> => ({
      async install(installation) {
        asked.push(installation.guest.vmid);
        await gate.promise;
        return host.install(installation);
      },
    });
    const vmids = [201, 202, 203, 204];
    const jobs: number[] = [];
    const running: Promise<void>[] = [];
    for (const vmid of vmids) {
      const jobId = await queueMachine(vmid);
      jobs.push(jobId);
      running.push(runOn(jobId, gated));
      const isThere = async () => asked.includes(vmid) || (await waitsOf(jobId)) !== null;
      await until(`the clone ${vmid} is asked for or waits`, isThere);
    }
    assert.deepEqual(asked, [201, 202]);
    assert.equal(await waitsOf(jobs[2] ?? 0), "other clones of template 9000 on node pvea are made first");
    gate.resolve();
    await Promise.all(running);
    assert.deepEqual(
      asked.toSorted((left, right) => left - right),
      vmids,
    );
    for (const jobId of jobs) assert.equal(await statusOf(jobId), "done");
    assert.deepEqual(await turns(), []);
  });

  it("end their turn when the guest is made, before it is set up", async () => {
    const jobId = await queueMachine(205);
    const seen: unknown[] = [];
    await runOn(jobId, (host) => ({
      async install(installation) {
        seen.push(await turns());
        return host.install(installation);
      },
      async setUp(guest, how) {
        seen.push(await turns());
        return host.setUp(guest, how);
      },
    }));
    assert.deepEqual(seen, [[{ job_id: jobId, has_begun: true }], []]);
  });

  it("keep their turn when the worker stops, for the one that goes on with them", async () => {
    const jobId = await queueMachine(206);
    const stopping = new AbortController();
    const stop = (): Promise<never> => {
      stopping.abort(new Error("the worker stops"));
      return Promise.reject(stopping.signal.reason);
    };
    await runOn(jobId, () => ({ waitForTask: stop }), stopping.signal);
    assert.deepEqual(await turns(), [{ job_id: jobId, has_begun: true }]);
    await runJob(executorFor(stage.services, "successor"), jobId);
    assert.equal(await statusOf(jobId), "done");
    assert.deepEqual(await turns(), []);
  });

  it("wait for no container, and no container for them", async () => {
    await stage.services.pool.query(`update setting set clones_per_template = 1`);
    const holder = await queueMachine(210);
    await stage.services.pool.query(
      `update job set status = 'running', lease_until = now() + interval '1 hour' where id = $1`,
      [holder],
    );
    await plant(stage.services.pool, { clone_turn: [{ job_id: holder, has_begun: true }] });
    const { jobId } = await queueGuest(stage, containerRequest());
    await runJob(executorFor(stage.services, "test"), jobId);
    assert.equal(await statusOf(jobId), "done");
    assert.deepEqual(await turns(), [{ job_id: holder, has_begun: true }]);
  });

  it("are made when the job that was at it has ended without a word", async () => {
    await stage.services.pool.query(`update setting set clones_per_template = 1`);
    const ended = await queueMachine(220);
    const jobId = await queueMachine(221);
    await plant(stage.services.pool, { clone_turn: [{ job_id: ended, has_begun: true }] });
    await stage.services.pool.query(
      `update job set status = 'failed', error = 'x', secrets_encrypted = null, finished_at = now() where id = $1`,
      [ended],
    );
    await runJob(executorFor(stage.services, "test"), jobId);
    assert.equal(await statusOf(jobId), "done");
  });
});
