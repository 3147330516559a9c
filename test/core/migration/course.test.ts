// Checks mode, downtime and estimates of migrations.
import assert from "node:assert/strict";
import {
  bytesPerSecond,
  bytesToCopy,
  describeDuration,
  expectedSeconds,
  isCopiedAsItLies,
  transferProgress,
  transferSeconds,
} from "../../../src/core/migration/estimate.js";
import { describeDowntime, migrationMode } from "../../../src/core/migration/mode.js";
import { guestDisks } from "../../../src/hypervisor/proxmox/config/disks.js";
import { GIB, MIB } from "../../../src/core/units.js";

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

  for (const [averageSeconds, expected] of [
    [null, null],
    [0, 0],
    [100, 100],
    [100.4, 100],
    [100.5, 101],
  ] as const) {
    it(`estimate: earlier moves of ${averageSeconds ?? "unknown"} seconds on average make ${expected}`, () => {
      assert.equal(expectedSeconds({ averageSeconds, paces: [] }), expected);
    });
  }

  const shown = {
    averageSeconds: 500,
    paces: [
      { mode: "live", bytes: 40 * GIB, seconds: 640 },
      { mode: "offline", bytes: 10 * GIB, seconds: 640 },
    ],
  } as const;
  for (const [mode, limitMib, expected] of [
    ["live", null, 64 * MIB],
    ["offline", null, 16 * MIB],
    ["restart", null, null],
    ["restart", 1, null],
    ["live", 65, 64 * MIB],
    ["live", 64, 64 * MIB],
    ["live", 63, 63 * MIB],
  ] as const) {
    it(`estimate: a ${mode} move goes at ${expected} bytes a second with a limit of ${limitMib ?? "no"} MiB/s`, () => {
      assert.equal(bytesPerSecond(shown, mode, limitMib), expected);
    });
  }

  for (const [bytes, pace, unsizedDisks, expected] of [
    [100, null, [], null],
    [100, 10, [], 10],
    [104, 10, [], 10],
    [105, 10, [], 11],
    [0, 10, [], 0],
    [100, 10, ["scsi0"], null],
    [2 ** 53 - 1, 0.001, [], 2 ** 31 - 1],
  ] as const) {
    const disks = unsizedDisks.join() || "no disk";
    it(`estimate: ${bytes} bytes take ${expected} s at ${pace} bytes a second, with ${disks} of unknown size`, () => {
      assert.equal(transferSeconds({ bytesToCopy: bytes, bytesPerSecond: pace, unsizedDisks }), expected);
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
