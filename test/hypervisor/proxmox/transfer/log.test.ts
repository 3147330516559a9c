// Checks progress and reasons read from logs as Proxmox VE writes them.
import assert from "node:assert/strict";
import {
  copiedBytes,
  EMPTY_LOG,
  failureReason,
  growLog,
  isFigure,
  readLines,
} from "../../../../src/hypervisor/proxmox/transfer/log.js";
import { GIB, MIB } from "../../../../src/core/units.js";

const LARGE = 4096 * GIB;

const copied = (lines: string[]): number | null => copiedBytes(readLines(EMPTY_LOG, lines), LARGE);

const twoVolumes = [
  "2026-11-21 01:07:23 starting migration of VM 9000 to node 'pveb' (127.0.0.1)",
  "2026-11-21 01:07:23 copying local disk images",
  "83890176 bytes (84 MB, 80 MiB) copied, 1 s, 83.4 MB/s",
  "184553472 bytes (185 MB, 176 MiB) copied, 2 s, 92.2 MB/s",
  "262240+0 records in",
  "1074135040 bytes (1.1 GB, 1.0 GiB) copied, 11.9375 s, 90.0 MB/s",
  "2026-11-21 01:07:42 disk-import: 1074135040 bytes (1.1 GB, 1.0 GiB) copied, 11.9069 s, 90.2 MB/s",
  "2026-11-21 01:07:43 volume 'local:9000/base-9000-disk-0.qcow2' is 'local:9000/base-9000-disk-0.qcow2' on the target",
  "4521984 bytes (4.5 MB, 4.3 MiB) copied, 0.0662574 s, 68.2 MB/s",
  "2026-11-21 01:07:49 disk-import: 4521984 bytes (4.5 MB, 4.3 MiB) copied, 0.0886427 s, 51.0 MB/s",
  "2026-11-21 01:07:50 volume 'local:9000/vm-9000-cloudinit.qcow2' is 'local:9000/vm-9000-cloudinit.qcow2' on the target",
  "2026-11-21 01:07:52 migration finished successfully (duration 00:00:29)",
];

const ofDrive = (figure: string) => copied([`drive-scsi0: transferred ${figure} of 2.0 TiB (1%) in 1s`]);
const ofZfs = (figure: string) => copied([`12:01:03   ${figure}   rpool/data/vm-100-disk-0@__migration__`]);

const told = (volume: string) => `2026-11-21 01:08:08 volume '${volume}' is 'local:201/x' on the target`;

describe("hypervisor/proxmox/transfer/log", () => {
  it("reports nothing before the first figure", () => {
    assert.equal(copied([]), null);
    assert.equal(copied(twoVolumes.slice(0, 2)), null);
  });

  for (const [lines, bytes] of [
    [3, 83_890_176],
    [4, 184_553_472],
    [7, 1_074_135_040],
    [8, 1_074_135_040],
    [9, 1_078_657_024],
    [12, 1_078_657_024],
  ] as const) {
    it(`counts ${bytes} bytes after ${lines} lines of an offline move`, () => {
      assert.equal(copied(twoVolumes.slice(0, lines)), bytes);
    });
  }

  it("comes to the same line by line as all at once, and never falls", () => {
    let log = EMPTY_LOG;
    let before = 0;
    for (const line of twoVolumes) {
      log = readLines(log, [line]);
      assert.ok((copiedBytes(log, LARGE) ?? 0) >= before);
      before = copiedBytes(log, LARGE) ?? 0;
    }
    assert.equal(before, copied(twoVolumes));
  });

  it("divides lines at carriage returns", () => {
    assert.equal(copied(["100 bytes (1 kB) copied, 1 s, 1 kB/s\r250 bytes (1 kB) copied, 2 s, 1 kB/s"]), 250);
  });

  it("reads on in a line that has grown since, also where its last figure was there in part", () => {
    const grown =
      "100 bytes (1 kB) copied, 1 s, 1 kB/s\r250 bytes (1 kB) copied, 2 s, 1 kB/s\r300 bytes (1 kB) copied, 3 s, 1 kB/s";
    for (const length of [3, 36, 37, 40, 70, grown.length]) {
      const first = growLog([], ["found local disk", grown.slice(0, length)]);
      const second = growLog(first.lines, [grown, "65536+0 records in"]);
      const log = readLines(readLines(EMPTY_LOG, first.fresh), second.fresh);
      assert.equal(copiedBytes(log, LARGE), 300, `after ${length} characters`);
      assert.deepEqual(second.lines, ["found local disk", grown, "65536+0 records in"]);
    }
  });

  it("finds nothing new in a log that has not grown, or is not returned any longer", () => {
    assert.deepEqual(growLog(["a", "b"], ["b"]), { lines: ["a", "b"], fresh: [] });
    assert.deepEqual(growLog(["a", "b"], []), { lines: ["a", "b"], fresh: [] });
    assert.deepEqual(growLog(["a", "b"], ["b", "c"]), { lines: ["a", "b", "c"], fresh: ["c"] });
  });

  it("takes a smaller figure for the next volume when nothing was logged in between", () => {
    assert.equal(copied(["500 bytes (1 kB) copied, 1 s, 1 kB/s", "20 bytes (1 kB) copied, 1 s, 1 kB/s"]), 520);
  });

  it("adds up mirrored drives and RAM of a live move", () => {
    const lines = [
      "2026-11-21 01:08:08 volume 'local:302/vm-302-disk-0.raw' is 'local:402/vm-402-disk-0.raw' on the target",
      "drive-scsi0: transferred 0.0 B of 32.0 GiB (0.00%) in 0s",
      "drive-scsi0: transferred 1.5 GiB of 32.0 GiB (4.69%) in 12s",
      "drive-scsi1: transferred 512.0 MiB of 1.0 GiB (50.00%) in 1m 5s, ready",
      "2026-11-21 01:08:10 migration active, transferred 256.0 MiB of 4.0 GiB VM-state, 112.5 MiB/s",
      "2026-11-21 01:08:12 migration completed, transferred 993.3 KiB VM-state",
    ];
    assert.equal(copied(lines.slice(0, 1)), null);
    assert.equal(copied(lines.slice(0, 2)), 0);
    assert.equal(copied(lines.slice(0, 5)), 1.5 * GIB + 512 * MIB + 256 * MIB);
    assert.equal(copied(lines), 1.5 * GIB + 512 * MIB + Math.round(993.3 * 1024));
  });

  it("reads mirrors by the name that they have with machine versions from 10.0 on", () => {
    const lines = [
      "drive mirror is starting for drive-scsi0",
      "mirror-scsi0: transferred 0.0 B of 1.0 GiB (0.00%) in 0s",
      "mirror-scsi0: transferred 300.0 MiB of 1.0 GiB (29.30%) in 2s",
      "mirror-scsi0: transferred 1.0 GiB of 1.0 GiB (100.00%) in 7s, ready",
      "mirror-scsi0: switching to actively synced mode",
      "mirror-virtio1: transferred 8.0 MiB of 8.0 MiB (100.00%) in 1s, ready",
    ];
    assert.equal(copied(lines.slice(0, 1)), null);
    assert.equal(copied(lines.slice(0, 2)), 0);
    assert.equal(copied(lines.slice(0, 3)), 300 * MIB);
    assert.equal(copied(lines), GIB + 8 * MIB);
  });

  it("counts RAM while devices hand their state over too", () => {
    const line = "2026-11-21 01:08:10 migration device, transferred 3.5 GiB of 4.0 GiB VM-state, 112.5 MiB/s";
    assert.equal(copied([line]), 3.5 * GIB);
  });

  it("never counts more than the total, however often something was copied", () => {
    const log = readLines(EMPTY_LOG, [
      "mirror-scsi0: transferred 1.2 GiB of 1.3 GiB (92.31%) in 9s",
      "2026-11-21 01:08:10 migration active, transferred 3.0 GiB of 1.0 GiB VM-state, 112.5 MiB/s",
    ]);
    assert.equal(copiedBytes(log, 2 * GIB), 2 * GIB);
  });

  it("counts a volume that is on the target by its own size, whatever size its file has", () => {
    const sizes = new Map([
      ["local:9000/base-9000-disk-0.qcow2", 4 * GIB],
      ["local:9000/vm-9000-cloudinit.qcow2", 4 * MIB],
    ]);
    const counted = (lines: number) => copiedBytes(readLines(EMPTY_LOG, twoVolumes.slice(0, lines), sizes), LARGE);
    assert.deepEqual([7, 8, 9, 12].map(counted), [1_074_135_040, 4 * GIB, 4 * GIB + 4_521_984, 4 * GIB + 4 * MIB]);
  });

  it("counts a volume whose copy logs no figures once it is there, and nothing of one that is only announced", () => {
    const sizes = new Map([["local:101/vm-101-disk-0.subvol", 2 * GIB]]);
    const counted = (volume: string) => copiedBytes(readLines(EMPTY_LOG, [told(volume)], sizes), LARGE);
    assert.equal(counted("local:101/vm-101-disk-0.subvol"), 2 * GIB);
    assert.equal(counted("local:101/vm-101-disk-1.raw"), null);
  });

  it("recognizes the lines that hold nothing but figures, of either name of a mirror", () => {
    const figures = [
      "83890176 bytes (84 MB, 80 MiB) copied, 1 s, 83.4 MB/s",
      "12:01:03   112M   rpool/data/vm-100-disk-0@__migration__",
      "drive-scsi0: transferred 1.0 MiB of 2.0 MiB (50.00%) in 1s",
      "mirror-scsi0: transferred 1.0 MiB of 2.0 MiB (50.00%) in 1s",
      "2026-11-21 01:08:10 migration active, transferred 1.0 GiB of 4.0 GiB VM-state, 112.5 MiB/s",
    ];
    assert.deepEqual(
      figures.map(isFigure),
      figures.map(() => true),
    );
    const others = [
      "mirror-scsi0: Completing block job...",
      "2026-11-21 01:08:12 migration completed, transferred 993.3 KiB VM-state",
    ];
    assert.deepEqual(others.map(isFigure), [false, false]);
  });

  it("reads every unit that drives and ZFS are reported in", () => {
    assert.deepEqual(["7 B", "3.0 KiB", "3.0 MiB", "3.0 GiB", "1.5 TiB"].map(ofDrive), [
      7,
      3 * 1024,
      3 * MIB,
      3 * GIB,
      1536 * GIB,
    ]);
    assert.deepEqual(["7B", "3K", "3M", "3G", "1.5T"].map(ofZfs), [7, 3 * 1024, 3 * MIB, 3 * GIB, 1536 * GIB]);
  });

  it("reads what ZFS sends", () => {
    const lines = ["total estimated size is 3.05G", "12:01:03   112M   rpool/data/vm-100-disk-0@__migration__"];
    assert.equal(copied(lines), 112 * MIB);
    assert.equal(
      copied([...lines, "12:01:04   1.05G   rpool/data/vm-100-disk-0@__migration__"]),
      Math.round(1.05 * GIB),
    );
  });

  const reasons: [lines: string[], reason: string | null][] = [
    [[], null],
    [["TASK OK"], null],
    [
      [
        "2026-11-21 01:07:03 ERROR: migration aborted (duration 00:00:00): 403 Permission check failed (/, Sys.Incoming)",
      ],
      "403 Permission check failed (/, Sys.Incoming)",
    ],
    [
      [
        "2026-11-21 01:07:04 ERROR: migration aborted (duration 00:00:00): 400 Parameter verification failed.",
        "2026-11-21 01:07:04 ERROR: vmid: unable to create empty VM config - VM 666 already exists on node 'pveb'",
        "TASK ERROR: migration aborted",
      ],
      "vmid: unable to create empty VM config - VM 666 already exists on node 'pveb'",
    ],
    [
      [
        "2026-11-21 01:07:06 can't migrate local disk 'local:iso/a.iso': local cdrom image",
        "2026-11-21 01:07:06 ERROR: Problem found while scanning volumes - can't migrate VM - check log",
        "TASK ERROR: migration aborted",
      ],
      "can't migrate local disk 'local:iso/a.iso': local cdrom image",
    ],
    [["TASK ERROR: migration aborted"], "migration aborted"],
    [
      [
        '2026-11-21 01:07:21 ERROR: error - tunnel command \'{"conf":"args: x\\ncipassword: $5$abc\\n","cmd":"config"}\' failed - ' +
          "failed to handle 'config' command - only root can set 'args' config",
      ],
      "error - failed to handle 'config' command - only root can set 'args' config",
    ],
    [
      [
        "2026-11-21 01:09:49 ERROR: failed to decode tunnel reply '' (command '{\"cmd\":\"query-disk-import\"}') - malformed JSON string" +
          " at /usr/share/perl5/PVE/Tunnel.pm line 119, <GEN3945> line 4.",
      ],
      "failed to decode tunnel reply '' - malformed JSON string",
    ],
  ];
  for (const [lines, reason] of reasons) {
    it(`finds the reason: ${reason}`, () => assert.equal(failureReason(lines), reason));
  }
});
