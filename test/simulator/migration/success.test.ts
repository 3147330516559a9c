// Tests moves that succeed: what arrives, what stays behind, and what the logs say.
import assert from "node:assert/strict";
import { mib, Pair, plainLog, untilLogged } from "./pair.js";

describe("remote migration between simulated hosts", () => {
  let pair: Pair;

  beforeEach(async () => {
    pair = await Pair.start();
  });
  afterEach(() => pair.close());

  it("moves a stopped VM and leaves the source locked", async () => {
    const guest = pair.place({
      type: "qemu",
      vmid: 100,
      config: { tags: "a", scsi0: "local:100/vm-100-disk-0.raw,size=256M" },
    });
    const { task, tunnel } = await pair.move(guest);
    assert.deepEqual([task.exitstatus, tunnel?.exitstatus], ["OK", "OK"]);
    assert.deepEqual(plainLog(task), [
      "remote: started tunnel worker <UPID>",
      "local WS tunnel version: 2",
      "remote WS tunnel version: 2",
      "minimum required WS tunnel version: 2",
      "websocket tunnel started",
      "starting migration of VM 100 to node 'pveb' (127.0.0.1)",
      "found local disk 'local:100/vm-100-disk-0.raw' (attached)",
      "copying local disk images",
      "<copied>",
      "65536+0 records in",
      "65536+0 records out",
      "<copied>",
      "disk-import: ready",
      "disk-import: Formatting '/var/lib/vz/images/200/vm-200-disk-0.raw', fmt=raw size=268435456 preallocation=off",
      "disk-import: 65536+0 records in",
      "disk-import: 65536+0 records out",
      "disk-import: <copied>",
      "volume 'local:100/vm-100-disk-0.raw' is 'local:200/vm-200-disk-0.raw' on the target",
      "mapped: net0 from vmbr0 to vmbr1",
      "migration finished successfully (duration)",
      "TASK OK",
    ]);
    assert.equal(guest.config.lock, "migrate");
    const moved = pair.targetGuest(guest)?.config ?? {};
    assert.deepEqual(
      [moved.lock, moved.scsi0, moved.tags, moved.vmgenid, moved.net0],
      [
        undefined,
        "local:200/vm-200-disk-0.raw,size=256M",
        "a",
        guest.config.vmgenid,
        guest.config.net0?.replace("vmbr0", "vmbr1"),
      ],
    );
  });

  for (const type of ["qemu", "lxc"] as const)
    it(`takes the guest's own firewall along: ${type}`, async () => {
      const firewall = "[OPTIONS]\n\nenable: 1\n\n[RULES]\n\nIN ACCEPT -p tcp -dport 22\n";
      const guest = pair.place({ type, vmid: 100, firewall });
      const { task } = await pair.move(guest);
      assert.equal(task.exitstatus, "OK");
      assert.equal(pair.targetGuest(guest)?.firewall, firewall);
    });

  it("moves a running VM live, pending changes left behind, and removes the source on demand", async () => {
    const guest = pair.place({
      type: "qemu",
      vmid: 101,
      status: "running",
      config: { scsi0: "local:101/vm-101-disk-0.raw,size=256M" },
    });
    guest.pending.memory = "512";
    const { task, tunnel } = await pair.move(guest, { online: "1", delete: "1" });
    assert.deepEqual([task.exitstatus, tunnel?.exitstatus], ["OK", "OK"]);
    const log = plainLog(task);
    for (const line of [
      "Allocating volume for drive 'scsi0' on remote storage 'local'..",
      "drive mirror is starting for drive-scsi0",
      "mirror-scsi0: transferred 256.0 MiB of 256.0 MiB (100.00%) in 2s, ready",
      "migration downtime limit: 100 ms",
      "migration cachesize: 16.0 MiB",
      "migration status: completed",
      "switching mirror jobs to actively synced mode",
      "mirror-scsi0: successfully switched to actively synced mode",
      "mirror-scsi0: mirror-job finished",
      "stopping NBD storage migration server on target.",
    ])
      assert.ok(log.includes(line), `${line} in\n${log.join("\n")}`);
    const moved = pair.targetGuest(guest);
    assert.deepEqual([moved?.runtime?.qmpstatus, moved?.config.memory, moved?.pending], ["running", "128", {}]);
    assert.equal(moved?.config.scsi0, "local:201/vm-201-disk-0.raw,format=raw,size=256M");
    assert.equal(pair.source.platform.state.guests.has(101), false);
    assert.deepEqual(
      pair.source.platform.state.volumes.filter(({ vmid }) => vmid === 101),
      [],
    );
  });

  it("restarts a running container on the target, raw lines lost", async () => {
    const guest = pair.place({ type: "lxc", vmid: 102, status: "running" });
    guest.rawLines.push(["lxc.apparmor.profile", "unconfined"]);
    const { task, tunnel } = await pair.move(guest, { restart: "1" });
    assert.deepEqual([task.exitstatus, tunnel?.exitstatus], ["OK", "OK"]);
    const log = plainLog(task);
    assert.ok(log.includes("shutdown CT 102") && log.includes("start container on target node"), log.join("\n"));
    const moved = pair.targetGuest(guest);
    assert.deepEqual([guest.runtime, guest.config.lock], [null, "migrate"]);
    assert.ok(moved?.runtime !== null && moved?.config.lock === undefined);
    assert.deepEqual([moved?.rawLines, moved?.config.unprivileged, moved?.config.features], [[], "1", "nesting=1"]);
  });

  it("obeys the bandwidth limit and names it", async () => {
    const guest = pair.place({ type: "qemu", vmid: 103, config: { scsi0: "local:103/vm-103-disk-0.raw,size=256M" } });
    const { task } = await pair.move(guest, { bwlimit: "32768" });
    const volume = "'local:103/vm-103-disk-0.raw'";
    assert.ok(
      plainLog(task).includes(`using a bandwidth limit of ${32 * mib} bytes per second for transferring ${volume}`),
    );
    assert.ok(task.lines.includes("268435456 bytes (268 MB, 256 MiB) copied, 8 s, 33.6 MB/s"), task.lines.join("\n"));
  });

  it("copies all volumes of a VM: disks, cloud-init drive and unused ones", async () => {
    const config = {
      scsi0: "local:104/vm-104-disk-0.raw,size=32M",
      scsi1: "local:104/vm-104-disk-1.qcow2,size=32M",
      ide2: "local:104/vm-104-cloudinit.qcow2,media=cdrom",
      unused0: "local:104/vm-104-disk-2.raw",
    };
    const guest = pair.place({ type: "qemu", vmid: 104, config });
    const { task } = await pair.move(guest);
    const moved = pair.targetGuest(guest)?.config ?? {};
    assert.equal(task.exitstatus, "OK");
    assert.equal(guest.config.ide2, "local:104/vm-104-cloudinit.qcow2,media=cdrom,size=4M");
    assert.deepEqual(
      [moved.scsi0, moved.scsi1, moved.ide2, moved.unused0],
      [
        "local:204/vm-204-disk-0.raw,size=32M",
        "local:204/vm-204-disk-1.qcow2,size=32M",
        "local:204/vm-204-cloudinit.qcow2,media=cdrom,size=4M",
        "local:204/vm-204-disk-2.raw",
      ],
    );
  });

  it("does not mind its token being deleted once the only disk is on its way", async () => {
    const { access } = pair.target.platform.state;
    const token = { secret: "temporary", privilegeSeparated: false, expire: 0, comment: null };
    access.users.get("root@pam")?.tokens.set("mig", token);
    const guest = pair.place({ type: "qemu", vmid: 105, config: { scsi0: "local:105/vm-105-disk-0.raw,size=256M" } });
    const task = await pair.begin(guest, {
      "target-endpoint": pair.endpoint({ token: "PVEAPIToken=root@pam!mig=temporary" }),
      bwlimit: "32768",
    });
    await untilLogged(task, /copied, 1 s/);
    access.users.get("root@pam")?.tokens.delete("mig");
    await pair.source.platform.tasks.settled(task.upid);
    assert.equal(task.exitstatus, "OK");
    assert.match(pair.tunnelOf(guest)?.user ?? "", /^root@pam!mig$/);
  });

  for (const status of ["stopped", "running"] as const)
    it(`carries the operating system over with the disk: ${status}`, async () => {
      const guest = pair.place({ type: "qemu", vmid: 106, status, memory: 256 });
      const memory = guest.runtime?.memoryBytes;
      const { task } = await pair.move(guest, status === "running" ? { online: "1" } : {});
      assert.equal(task.exitstatus, "OK");
      const disks = pair.target.platform.state.volumes.filter(({ vmid }) => vmid === 206);
      assert.deepEqual(
        disks.map(({ hasSystem }) => hasSystem),
        [true],
      );
      assert.equal(pair.targetGuest(guest)?.runtime?.memoryBytes, memory);
    });

  it("moves at a speed that is no whole number of bytes, live and offline", async () => {
    pair.source.platform.tasks.bytesPerSecond = 31_415_926.535;
    for (const [vmid, status] of [
      [107, "running"],
      [108, "stopped"],
    ] as const) {
      const guest = pair.place({ type: "qemu", vmid, status });
      const { task } = await pair.move(guest, status === "running" ? { online: "1" } : {});
      assert.equal(task.exitstatus, "OK", task.lines.join("\n"));
    }
  });
});
