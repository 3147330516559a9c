// Guests that are protected against removal: they keep that where they go, and nothing that a move leaves does.
import assert from "node:assert/strict";
import { deleteSafetyCopies } from "../../../src/actions/guest/safetyCopy.js";
import { contextFor } from "../../support/viewers.js";
import {
  guestOn,
  leftovers,
  migrationRow,
  NOTHING_LEFT,
  openMoveStage,
  placeAndSync,
  queueMove,
  run,
  type MoveStage,
} from "./stage.js";
import { until } from "../../support/until.js";

const PROTECTED = { config: { protection: 1 } };

describe("a move of a protected guest", function () {
  this.timeout(300_000);
  let stage: MoveStage;
  before(async () => {
    stage = await openMoveStage();
  });
  after(() => stage.close());

  for (const [vmid, type] of [
    [701, "qemu"],
    [702, "lxc"],
  ] as const) {
    it(`leaves a copy of a ${type} guest that can be deleted, and the guest protected`, async () => {
      const guestId = await placeAndSync(stage, { type, vmid, status: "running", ...PROTECTED });
      const { migrationId, jobId } = await queueMove(stage, guestId);
      await run(stage, jobId);
      const { status, safety_copy_guest_id: copyId } = await migrationRow(stage, migrationId);
      assert.equal(status, "done");
      assert.equal(guestOn(stage.target, vmid)?.config["protection"], "1");
      const [deletion] = await deleteSafetyCopies(await contextFor(stage.services), [Number(copyId)]);
      await run(stage, deletion?.jobId ?? 0);
      assert.equal(guestOn(stage.source, vmid), undefined);
    });
  }

  it("leaves nothing on the target when its node dies in the middle", async () => {
    const vmid = 703;
    const guestId = await placeAndSync(stage, { type: "qemu", vmid, status: "running", ...PROTECTED });
    const { migrationId, jobId } = await queueMove(stage, guestId);
    const { tasks } = stage.source.host.platform;
    const { bytesPerSecond } = tasks;
    tasks.bytesPerSecond = 1e6;
    const running = run(stage, jobId);
    await until("the guest is protected on the target", () => guestOn(stage.target, vmid)?.config["protection"]);
    tasks.killNode(stage.source.node);
    await running;
    tasks.bytesPerSecond = bytesPerSecond;
    const { status, error } = await migrationRow(stage, migrationId);
    assert.equal(status, "failed");
    assert.doesNotMatch(String(error), /left behind/);
    assert.equal(guestOn(stage.target, vmid), undefined);
    assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
  });
});
