// What is asked of a cluster's minority: refused in clear words, before anything is touched.
import assert from "node:assert/strict";
import { deleteGuest } from "../../src/actions/guest/deleteGuest.js";
import { reinstallGuest } from "../../src/actions/guest/reinstallGuest.js";
import type { GuestType } from "../../src/core/enums.js";
import { runJob } from "../../jobs/executor.js";
import { boot, cutPower } from "../../simulator/guests/nodePower.js";
import { placeGuest } from "../../simulator/scenarios/placeGuest.js";
import { contextFor } from "../support/viewers.js";
import {
  CONTAINER_TEMPLATE,
  containerRequest,
  holdings,
  jobRow,
  machineRequest,
  openStage,
  queueGuest,
  sync,
  type Stage,
} from "./creation.js";
import { executorFor } from "./killing.js";

describe("a cluster without quorum", () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage(undefined, ["pvea", "pveb", "pvec"]);
    for (const type of ["qemu", "lxc"] as const) {
      const plan = { type, node: "pvea", status: "running", memory: 128, cores: 1, diskGb: 3 } as const;
      placeGuest(stage.host.platform, { ...plan, vmid: VMIDS[type], name: `${type}1`, config: {}, snapshots: [] });
    }
    await sync(stage);
  });
  after(() => stage.close());

  const VMIDS: Readonly<Record<GuestType, number>> = { qemu: 201, lxc: 202 };
  const minority = ["pveb", "pvec"];

  /** Runs a job that was queued while all was well. */
  const runWithoutQuorum = async (jobId: number): Promise<Record<string, unknown>> => {
    const { platform } = stage.host;
    const lost = minority.flatMap((name) => platform.state.nodes.get(name) ?? []);
    for (const node of lost) cutPower(platform, node);
    await runJob(executorFor(stage.services, "test"), jobId);
    for (const node of lost) boot(platform, node);
    return jobRow(stage, jobId);
  };

  const isRunning = (vmid: number): boolean => (stage.host.platform.state.guests.get(vmid)?.runtime ?? null) !== null;
  const NO_QUORUM = "the host's cluster has no quorum: nothing of it can be changed";

  for (const type of ["qemu", "lxc"] as const) {
    const address = () => ({ hostId: stage.hostId, type, vmid: VMIDS[type] });

    it(`creates no ${type} guest, and gives back what was promised`, async () => {
      const request = type === "qemu" ? machineRequest(stage) : containerRequest();
      const { jobId, vmid } = await queueGuest(stage, request);
      const job = await runWithoutQuorum(jobId);
      assert.deepEqual([job["status"], job["error"]], ["failed", "cluster not ready - no quorum?"]);
      assert.equal(stage.host.platform.state.guests.has(vmid), false);
      assert.equal(await holdings(stage), 0);
    });

    it(`does not stop a ${type} guest that it could not delete`, async () => {
      const { jobId } = await deleteGuest(await contextFor(stage.services), address());
      const job = await runWithoutQuorum(jobId);
      assert.deepEqual([job["status"], job["error"]], ["failed", NO_QUORUM]);
      assert.equal(isRunning(VMIDS[type]), true);
    });

    it(`does not stop a ${type} guest that it could not install anew`, async () => {
      const osTemplate = type === "qemu" ? `tpl:${stage.templateId}` : CONTAINER_TEMPLATE;
      const asked = { osTemplate, password: "correct horse" };
      const { jobId } = await reinstallGuest(await contextFor(stage.services), address(), asked);
      const job = await runWithoutQuorum(jobId);
      assert.deepEqual([job["status"], job["error"]], ["failed", NO_QUORUM]);
      assert.equal(isRunning(VMIDS[type]), true);
    });
  }
});
