// Deletions in which something breaks: a guest is forgotten only when it is gone.
import assert from "node:assert/strict";
import { deleteSafetyCopies } from "../../src/actions/guest/safetyCopy.js";
import { platformError, PlatformReason } from "../../src/hypervisor/platformError.js";
import { removeGuest } from "../../simulator/scenarios/placeGuest.js";
import { runJob } from "../../jobs/engine/executor.js";
import { contextFor } from "../support/viewers.js";
import { changedHosts } from "./changedHosts.js";
import { holdings, jobRow, openStage, type Stage } from "./creation.js";
import { placeToDelete, queueDeletion, removeByJob } from "./deletion.js";
import { executorFor, tasksOf } from "./killing.js";
import { PLACE } from "./place.js";

const isAway = (): Promise<never> => Promise.reject(platformError(PlatformReason.UNREACHABLE, "the host is away"));

describe("a deletion in which something breaks", () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage.close());

  const placed = (vmid: number) => stage.host.platform.state.guests.get(vmid);
  const onRecord = async (vmid: number): Promise<unknown[]> => {
    const { rows } = await stage.services.pool.query(
      `select status from guest where vmid = $1 and gone_at is null order by id`,
      [vmid],
    );
    return rows;
  };

  it("destroys nothing when the guest cannot be stopped", async () => {
    await placeToDelete(stage, 340);
    const failure = { type: "qmstop", vmid: 340, atFraction: 0.5, message: "got timeout", times: 1 };
    stage.host.platform.tasks.planFailure(failure);
    const { status, error } = await removeByJob(stage, 340);
    const left = "left behind: VM 340 on node pvea, which was to be stopped first";
    assert.deepEqual([status, error], ["failed", `qmstop on ${PLACE} failed: got timeout; ${left}`]);
    assert.notEqual(placed(340)?.runtime ?? null, null, "the guest runs");
    assert.deepEqual([tasksOf(stage, "qmdestroy", 340), await onRecord(340)], [0, [{ status: "running" }]]);
  });

  it("is finished by the next worker when one stops before the guest is destroyed", async () => {
    await placeToDelete(stage, 341);
    const jobId = await queueDeletion(stage, 341);
    const stopping = new AbortController();
    const hypervisors = changedHosts(stage.services.hypervisors, () => ({
      destroy: () => {
        stopping.abort(new Error("the worker stops"));
        return Promise.reject(new Error("the worker stops"));
      },
    }));
    const first = executorFor({ ...stage.services, hypervisors }, "first");
    await runJob({ ...first, stopping: stopping.signal }, jobId);
    assert.notEqual(placed(341), undefined);
    assert.equal((await onRecord(341)).length, 1);
    await runJob(executorFor(stage.services, "second"), jobId);
    const { status, error } = await jobRow(stage, jobId);
    assert.deepEqual([status, error], ["done", null]);
    assert.deepEqual([placed(341), await onRecord(341)], [undefined, []]);
    assert.equal(tasksOf(stage, "qmdestroy", 341), 1);
  });

  it("leaves what the guest is doing to the next sync when the host no longer answers", async () => {
    await placeToDelete(stage, 342);
    const jobId = await queueDeletion(stage, 342);
    const { hypervisors } = stage.services;
    const changed = changedHosts(hypervisors, () => ({
      destroy: () => Promise.reject(platformError(PlatformReason.REFUSED, "not now")),
    }));
    const prompt = async (hostId: number) => ({ ...(await hypervisors.prompt(hostId)), guestConfig: isAway });
    await runJob(executorFor({ ...stage.services, hypervisors: { ...changed, prompt } }, "test"), jobId);
    const { status, error } = await jobRow(stage, jobId);
    const left = "left behind: VM 342 on node pvea, which was to be stopped first";
    assert.deepEqual([status, error], ["failed", `${PLACE}: not now; ${left}`]);
    assert.deepEqual(await onRecord(342), [{ status: "running" }]);
    assert.equal(await holdings(stage), 0);
  });

  const placeCopy = async (vmid: number, config: Record<string, string | number> = {}): Promise<number> => {
    await placeToDelete(stage, vmid, { status: "stopped", config: { tags: "drover-migrated", ...config } });
    const { rows } = await stage.services.pool.query<{ id: number }>(
      `update guest set safety_copy = true where vmid = $1 and gone_at is null returning id`,
      [vmid],
    );
    return rows[0]?.id ?? 0;
  };
  const deleteCopy = async (id: number): Promise<Record<string, unknown>> => {
    const [job] = await deleteSafetyCopies(await contextFor(stage.services), [id]);
    await runJob(executorFor(stage.services, "test"), job?.jobId ?? 0);
    return jobRow(stage, job?.jobId ?? 0);
  };

  it("forgets a safety copy that is gone from the platform", async () => {
    const id = await placeCopy(344);
    removeGuest(stage.host.platform, 344);
    const { status, error } = await deleteCopy(id);
    assert.deepEqual([status, error], ["done", null]);
    assert.deepEqual(await onRecord(344), []);
  });

  it("does not ask for a safety copy to be destroyed that is locked", async () => {
    const { status, error } = await deleteCopy(await placeCopy(345, { lock: "backup" }));
    assert.deepEqual([status, error], ["failed", `${PLACE}: guest 345 is locked (backup)`]);
    assert.deepEqual([tasksOf(stage, "qmdestroy", 345), (await onRecord(345)).length], [0, 1]);
  });
});
