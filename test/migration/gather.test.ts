// What is gathered for a plan from both hosts and the inventory.
import assert from "node:assert/strict";
import { setMaintenance } from "../../src/actions/host/host.js";
import { moveInput, openMoveStage, placeAndSync, plan, type MoveStage } from "../jobs/migration/stage.js";
import { contextFor } from "../support/viewers.js";

describe("migration/gather", () => {
  let stage: MoveStage;
  let guestId: number;
  before(async () => {
    stage = await openMoveStage();
    guestId = await placeAndSync(stage, { type: "qemu", vmid: 700, status: "stopped" });
  });
  after(() => stage.close());

  const problems = async (): Promise<string[]> =>
    (await plan(stage, moveInput(stage, guestId))).problems.map(({ code }) => code);

  it("finds the maintenance of the target's host, and not that of the source's", async () => {
    const context = await contextFor(stage.services);
    await setMaintenance(context, stage.source.hostId, true);
    assert.deepEqual(await problems(), []);
    await setMaintenance(context, stage.target.hostId, true);
    assert.deepEqual(await problems(), ["TARGET_IN_MAINTENANCE"]);
    await setMaintenance(context, stage.target.hostId, false);
    assert.deepEqual(await problems(), []);
  });
});
