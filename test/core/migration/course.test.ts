// Checks mode, downtime and estimates of migrations.
import assert from "node:assert/strict";
import {
  bytesToCopy,
  describeDuration,
  expectedSeconds,
  isCopiedAsItLies,
  transferProgress,
} from "../../../src/core/migration/estimate.js";
import { describeDowntime, migrationMode } from "../../../src/core/migration/mode.js";
import { guestDisks } from "../../../src/hypervisor/proxmox/config/disks.js";
import { GIB } from "../../../src/core/units.js";

describe("core/migration", () => {
  for (const [type, status, mode] of [
    ["qemu", "running", "live"],
    ["qemu", "paused", "live"],
    ["lxc", "running", "restart"],
    ["qemu", "stopped", "offline"],
    ["lxc", "stopped", "offline"],
    ["qemu", "suspended", "offline"],
    ["qemu", "unknown", "offline"],
  ] as const) {
    it(`mode: a ${status} ${type} guest moves ${mode}`, () => assert.equal(migrationMode(type, status), mode));
  }

  it("downtime: announces a pause or the stopped time", () => {
    assert.equal(describeDowntime("live", 600), "a brief pause at the final switchover");
    assert.equal(
      describeDowntime("restart", 600),
      "stopped for the transfer, then started on the target: about 10 min",
    );
    assert.equal(describeDowntime("offline", null), "stopped, not to be started during the transfer: Duration unknown");
  });

  it("estimate: copies every volume, and RAM when live", () => {
    const disks = guestDisks("qemu", {
      scsi0: "tank:vm-1-disk-0,size=32G",
      efidisk0: "tank:vm-1-disk-1,size=1G",
      unused0: "tank:vm-1-disk-2,size=2G",
      ide2: "local:iso/a.iso,media=cdrom,size=4G",
      sata0: "/dev/sdb,size=100G",
      scsi1: "tank:vm-1-disk-3",
    });
    assert.equal(bytesToCopy(disks, "offline", 2_048), 35 * GIB);
    assert.equal(bytesToCopy(disks, "restart", 2_048), 35 * GIB);
    assert.equal(bytesToCopy(disks, "live", 2_048), 37 * GIB);
  });

  it("estimate: of a live machine only what it does not write to is copied as it lies", () => {
    const disks = guestDisks("qemu", {
      scsi0: "tank:vm-1-disk-0,size=32G",
      efidisk0: "tank:vm-1-disk-1,size=1G",
      tpmstate0: "tank:vm-1-disk-2,size=4M",
      ide0: "tank:vm-1-cloudinit,media=cdrom",
      ide2: "local:iso/a.iso,media=cdrom,size=4G",
      unused0: "tank:vm-1-disk-3",
    });
    const copied = (mode: "live" | "offline") =>
      disks.filter((disk) => isCopiedAsItLies(disk, mode)).map(({ key }) => key);
    assert.deepEqual(copied("live").toSorted(), ["ide0", "tpmstate0", "unused0"]);
    assert.deepEqual(copied("offline").toSorted(), ["efidisk0", "ide0", "scsi0", "tpmstate0", "unused0"]);
  });

  for (const [durations, expected] of [
    [[], null],
    [[100], 100],
    [[100, 101], 101],
    [[60, 120, 180], 120],
  ] as const) {
    it(`estimate: earlier moves of ${durations.join(", ") || "no"} seconds make ${expected}`, () => {
      assert.equal(expectedSeconds(durations), expected);
    });
  }
  for (const [span, text] of [
    [null, "Duration unknown"],
    [0, "about 1 s"],
    [89, "about 89 s"],
    [90, "about 2 min"],
    [3600, "about 60 min"],
  ] as const) {
    it(`estimate: ${span} seconds are ${text}`, () => assert.equal(describeDuration(span), text));
  }

  for (const [done, total, progress] of [
    [null, 100, null],
    [50, null, null],
    [50, 0, null],
    [0, 100, 0],
    [50, 100, 0.5],
    [101, 100, 1],
  ] as const) {
    it(`${done} of ${total} bytes are ${progress}`, () => assert.equal(transferProgress(done, total), progress));
  }
});
