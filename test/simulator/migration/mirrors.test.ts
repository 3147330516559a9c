// Tests what the mirror of a disk is called in the log of a live move: it depends on the machine, not on the host.
import assert from "node:assert/strict";
import type { Release } from "../../../simulator/version.js";
import { Pair, plainLog } from "./pair.js";

/** Names in every line that a mirror's job writes. */
const jobsIn = (log: readonly string[]): string[] => [
  ...new Set(log.flatMap((line) => /^(?:WARN: )?((?:drive|mirror)-scsi0): /.exec(line)?.[1] ?? [])),
];

const cases: [release: Release, machine: string | undefined, job: string][] = [
  ["9.2", undefined, "mirror-scsi0"],
  ["9.2", "q35", "mirror-scsi0"],
  ["9.2", "type=q35,viommu=intel", "mirror-scsi0"],
  ["9.2", "pc-q35-10.0", "mirror-scsi0"],
  ["9.2", "pc-i440fx-10.1+pve0", "mirror-scsi0"],
  ["9.2", "pc-q35-9.2", "drive-scsi0"],
  ["9.2", "pc-q35-9.2+pve1", "drive-scsi0"],
  ["9.2", "pc-i440fx-8.1", "drive-scsi0"],
  ["8.4", undefined, "drive-scsi0"],
  ["8.4", "q35", "drive-scsi0"],
  ["8.4", "pc-i440fx-8.1", "drive-scsi0"],
];

describe("mirrors of disks in a live move", () => {
  for (const [release, machine, job] of cases) {
    it(`are called ${job} from ${release} with ${machine ?? "no machine type stated"}`, async () => {
      const pair = await Pair.start({ source: { release } });
      try {
        const config = { scsi0: "local:100/vm-100-disk-0.raw,size=256M", ...(machine !== undefined && { machine }) };
        const guest = pair.place({ type: "qemu", vmid: 100, status: "running", config });
        const { task } = await pair.move(guest, { online: "1" });
        assert.equal(task.exitstatus, "OK", task.lines.join("\n"));
        assert.deepEqual(jobsIn(plainLog(task)), [job]);
      } finally {
        await pair.close();
      }
    });
  }

  it("keep the name that they had where the machine was started", async () => {
    const pair = await Pair.start({ source: { release: "8.4" } });
    try {
      const guest = pair.place({ type: "qemu", vmid: 100, status: "running" });
      await pair.move(guest, { online: "1" });
      const { status, text } = await pair.askTarget("/nodes/pveb/qemu/200/status/current");
      assert.equal(status, 200);
      assert.equal(JSON.parse(text).data["running-machine"], "pc-i440fx-9.2+pve1");
    } finally {
      await pair.close();
    }
  });

  it("fails where the target's QEMU is older than the machine that runs", async () => {
    const pair = await Pair.start({ target: { release: "8.4" } });
    try {
      const guest = pair.place({ type: "qemu", vmid: 100, status: "running" });
      const { task, tunnel } = await pair.move(guest, { online: "1" });
      assert.equal(task.exitstatus, "migration problems");
      assert.match(tunnel?.lines.join("\n") ?? "", /unsupported machine type 'pc-i440fx-11\.0\+pve2'/);
      assert.deepEqual([guest.runtime !== null, pair.targetGuest(guest)], [true, undefined]);
    } finally {
      await pair.close();
    }
  });
});
