// Guests that another user moves to another node of their cluster while a job waits or works: none of them is lost.
import assert from "node:assert/strict";
import { reinstallGuest } from "../../src/actions/guest/reinstallGuest.js";
import { runJob } from "../../jobs/engine/executor.js";
import { contextFor } from "../support/viewers.js";
import { changedHosts } from "./changedHosts.js";
import { jobRow, openStage, sync, type Stage } from "./creation.js";
import { placeToDelete, queueDeletion } from "./deletion.js";
import { executorFor, tasksOf } from "./killing.js";
import { PLACE } from "./place.js";

describe("a guest that is moved to another node of its cluster", () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage(undefined, ["pvea", "pveb"]);
  });
  after(() => stage.close());

  const placed = (vmid: number) => stage.host.platform.state.guests.get(vmid);
  const move = (vmid: number): unknown => Object.assign(placed(vmid) ?? {}, { node: "pveb" });
  const records = async (vmid: number): Promise<unknown[]> => {
    const { rows } = await stage.services.pool.query(
      `select g.id, n.name as node from guest g join node n on n.id = g.node_id where vmid = $1 and gone_at is null`,
      [vmid],
    );
    return rows;
  };
  const queueReinstallation = async (vmid: number): Promise<number> => {
    const request = { osTemplate: `tpl:${stage.templateId}`, password: "correct horse" };
    const guest = { hostId: stage.hostId, type: "qemu", vmid } as const;
    return (await reinstallGuest(await contextFor(stage.services), guest, request)).jobId;
  };
  /** Moves the guest right before its destruction is requested. @returns the job's state and error */
  const runOvertaken = async (jobId: number, vmid: number): Promise<readonly unknown[]> => {
    const hypervisors = changedHosts(stage.services.hypervisors, (host) => ({
      destroy: (...call) => {
        move(vmid);
        return host.destroy(...call);
      },
    }));
    await runJob(executorFor({ ...stage.services, hypervisors }, "test"), jobId);
    const { status, error } = await jobRow(stage, jobId);
    return [status, String(error)];
  };

  it("is not forgotten when that happens right before its deletion destroys it", async () => {
    await placeToDelete(stage, 350, { status: "stopped" });
    const [before] = await records(350);
    const [status, error] = await runOvertaken(await queueDeletion(stage, 350), 350);
    assert.equal(status, "failed");
    assert.match(String(error), /350.* does not exist/);
    assert.equal(placed(350)?.node, "pveb");
    await sync(stage);
    assert.deepEqual(await records(350), [{ ...Object(before), node: "pveb" }]);
  });

  it("is not replaced, nor its record lost, when that happens right before its reinstallation destroys it", async () => {
    await placeToDelete(stage, 351, { status: "stopped", diskGb: 3 });
    const [before] = await records(351);
    const clones = tasksOf(stage, "qmclone");
    const [status, error] = await runOvertaken(await queueReinstallation(351), 351);
    assert.equal(status, "failed");
    assert.match(
      String(error),
      /351.* does not exist.*; left behind: VM 351 .*whether it is there has to be looked at$/,
    );
    assert.equal(tasksOf(stage, "qmclone"), clones);
    await sync(stage);
    assert.deepEqual(await records(351), [{ ...Object(before), node: "pveb" }]);
  });

  it("is not reinstalled when that happens after the request: the template was chosen for its former node", async () => {
    await placeToDelete(stage, 352, { diskGb: 3 });
    const jobId = await queueReinstallation(352);
    move(352);
    await runJob(executorFor(stage.services, "test"), jobId);
    assert.equal((await jobRow(stage, jobId))["error"], `${PLACE}: the guest has moved to node pveb`);
    assert.notEqual(placed(352)?.runtime ?? null, null, "the guest runs");
  });
});
