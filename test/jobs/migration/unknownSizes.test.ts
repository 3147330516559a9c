// Moves of guests with disks that the configuration states no size of: what is copied, and whether the target has room for it.
import assert from "node:assert/strict";
import { startMigration } from "../../../src/actions/migration/start.js";
import { refusedAs } from "../../support/refusal.js";
import { contextFor } from "../../support/viewers.js";
import { addStorage, moveInput, openMoveStage, placeAndSync, plan, type MoveStage } from "./stage.js";

const GIB = 1024 ** 3;

describe("moves of disks without a stated size", function () {
  this.timeout(300_000);
  let stage: MoveStage;
  before(async () => {
    stage = await openMoveStage();
    await addStorage(stage, stage.source, { name: "big", type: "lvmthin", totalGib: 100 });
    await addStorage(stage, stage.target, { name: "small", type: "lvmthin", totalGib: 1 });
  });
  after(() => stage.close());

  const guests = [
    { type: "qemu", vmid: 8999, key: "scsi0", more: {} },
    { type: "lxc", vmid: 8997, key: "rootfs", more: {} },
    { type: "qemu", vmid: 8995, key: "unused0", more: { scsi0: "big:vm-8995-disk-1,size=1M" } },
    { type: "lxc", vmid: 8993, key: "mp0", more: { rootfs: "big:vm-8993-disk-1,size=1M" } },
  ] as const;
  for (const { type, vmid, key, more } of guests) {
    const line = `big:vm-${vmid}-disk-9${key === "mp0" ? ",mp=/data" : ""}`;
    const config = { ...more, [key]: line };
    const volumes = () => stage.source.host.platform.state.volumes;
    const planned = (id: number) =>
      plan(stage, moveInput(stage, id, { storageMap: [{ source: "big", target: "small" }] }));

    it(`find no room for ${key} of a ${type} guest where its volume is larger than the target's storage`, async () => {
      const id = await placeAndSync(stage, { type, vmid, status: "stopped", diskGb: 32, config });
      const { problems, summary } = await planned(id);
      assert.deepEqual(
        problems.map(({ code }) => code),
        ["NOT_ENOUGH_STORAGE"],
      );
      assert.match(problems[0]?.message ?? "", /^small has 1 GiB free of 32/);
      assert.ok(summary.bytesToCopy >= 32 * GIB);
      assert.deepEqual(summary.unsizedDisks, []);
    });

    it(`are blocked for ${key} of a ${type} guest that nothing states the size of, and no check of room passes`, async () => {
      const { rows } = await stage.services.pool.query<{ id: number }>(
        `select id from guest where vmid = $1 and host_id = $2`,
        [vmid, stage.source.hostId],
      );
      const id = rows[0]?.id ?? 0;
      stage.source.host.platform.state.volumes = volumes().filter(({ name }) => name !== `vm-${vmid}-disk-9`);
      const { problems, passed, summary, startable } = await planned(id);
      assert.deepEqual(
        problems.map(({ code, message }) => [code, message]),
        [
          [
            "DISK_SIZE_UNKNOWN",
            "neither the configuration nor the storage states the size of disks, so that no target can be shown to have room " +
              `for them: ${key}`,
          ],
        ],
      );
      assert.equal(startable, false);
      assert.equal(
        passed.some(({ code }) => code === "NOT_ENOUGH_STORAGE"),
        false,
      );
      assert.deepEqual(summary.unsizedDisks, [key]);
      const context = await contextFor(stage.services);
      await refusedAs(
        "conflict",
        startMigration(context, moveInput(stage, id, { storageMap: [{ source: "big", target: "small" }] })),
      );
    });
  }

  it("go on for drives that are small whatever is stated of them", async () => {
    const config = {
      scsi0: "big:vm-700-disk-0,size=64M",
      efidisk0: "big:vm-700-disk-1,efitype=4m",
      ide2: "big:vm-700-cloudinit,media=cdrom",
    };
    const id = await placeAndSync(stage, { type: "qemu", vmid: 700, status: "stopped", config });
    const { problems, summary } = await plan(
      stage,
      moveInput(stage, id, { storageMap: [{ source: "big", target: "small" }] }),
    );
    assert.deepEqual(problems, []);
    assert.equal(summary.bytesToCopy, (64 + 64 + 4) * 1024 ** 2);
  });
});
