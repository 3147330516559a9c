// Templates that are protected against removal: what is made from them is not, and can be rolled back.
import assert from "node:assert/strict";
import { deleteGuest } from "../../src/actions/guest/deleteGuest.js";
import { reinstallGuest } from "../../src/actions/guest/reinstallGuest.js";
import { runJob } from "../../jobs/engine/executor.js";
import { contextFor } from "../support/viewers.js";
import { holdings, jobRow, machineRequest, openStage, queueGuest, TEMPLATE_VMID, type Stage } from "./creation.js";
import { executorFor } from "./killing.js";
import { PLACE } from "./place.js";

describe("a protected template", () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
    configOf(TEMPLATE_VMID)["protection"] = "1";
  });
  after(() => stage.close());

  const configOf = (vmid: number): Record<string, string> => stage.host.platform.state.guests.get(vmid)?.config ?? {};
  const errorOf = async ({ jobId }: { readonly jobId: number }): Promise<unknown> => {
    await runJob(executorFor(stage.services, "test"), jobId);
    return (await jobRow(stage, jobId))["error"];
  };

  it("makes guests that can be reinstalled, again and again, and deleted", async () => {
    assert.equal(await errorOf(await queueGuest(stage, machineRequest(stage))), null);
    const guest = { hostId: stage.hostId, type: "qemu", vmid: 120 } as const;
    const install = { osTemplate: `tpl:${stage.templateId}`, password: "correct horse" };
    for (let time = 0; time < 2; time++) {
      assert.equal(configOf(120)["protection"], undefined);
      assert.equal(await errorOf(await reinstallGuest(await contextFor(stage.services), guest, install)), null);
    }
    assert.equal(await errorOf(await deleteGuest(await contextFor(stage.services), guest)), null);
    assert.equal(stage.host.platform.state.guests.has(120), false);
  });

  it("leaves nothing of a creation that fails", async () => {
    stage.host.platform.tasks.planFailure({
      type: "qmconfig",
      vmid: 121,
      atFraction: 0.1,
      message: "broken",
      times: 1,
    });
    const error = await errorOf(await queueGuest(stage, machineRequest(stage, { vmid: 121 })));
    assert.equal(error, `qmconfig on ${PLACE} failed: broken`);
    assert.equal(stage.host.platform.state.guests.has(121), false);
    assert.equal(await holdings(stage), 0);
  });
});
