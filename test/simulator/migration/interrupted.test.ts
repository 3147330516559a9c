// Tests moves that break in the middle: stopped, failed by order, cut off, and what each leaves behind.
import assert from "node:assert/strict";
import { Pair, plainLog, untilLogged } from "./pair.js";

const slow = { bwlimit: "10240" };

describe("interrupted remote migration", () => {
  let pair: Pair;

  beforeEach(async () => {
    pair = await Pair.start({ source: { timeFactor: 50 }, target: { timeFactor: 50 } });
  });
  afterEach(() => pair.close());

  it("leaves an empty locked VM and a partial volume when an offline move is stopped", async () => {
    const guest = pair.place({ type: "qemu", vmid: 100, config: { scsi0: "local:100/vm-100-disk-0.raw,size=256M" } });
    const task = await pair.begin(guest, slow);
    await untilLogged(task, /copied, 3 s/);
    await pair.source.platform.tasks.stop(task.upid);
    const tunnel = pair.tunnelOf(guest);
    await pair.target.platform.tasks.settled(tunnel?.upid ?? "");
    assert.deepEqual([task.exitstatus, tunnel?.exitstatus], ["migration aborted", "mtunnel exited unexpectedly"]);
    assert.ok(plainLog(task).includes("ERROR: writing to tunnel failed: broken pipe"), task.lines.join("\n"));
    assert.equal(guest.config.lock, undefined);
    assert.deepEqual(pair.targetGuest(guest)?.config, { lock: "create" });
    const [volume] = pair.target.platform.state.volumes.filter(({ vmid }) => vmid === 200);
    assert.ok(volume !== undefined && volume.size > 0 && volume.size < 256 * 1024 ** 2);
    const { task: retry } = await pair.move(guest);
    assert.match(retry.lines.join("\n"), /VM 200 already exists on node 'pveb'/);
  });

  it("leaves what has arrived of a stopped offline move, and gives a later import's volumes other names", async () => {
    const config = {
      scsi0: "local:106/vm-106-disk-0.qcow2,size=64M",
      ide2: "local:106/vm-106-cloudinit.qcow2,media=cdrom,size=4M",
    };
    const guest = pair.place({ type: "qemu", vmid: 106, config });
    const task = await pair.begin(guest, slow);
    await untilLogged(task, /volume 'local:106\/vm-106-cloudinit.qcow2' is/);
    await untilLogged(task, /copied, 1 s/);
    await pair.source.platform.tasks.stop(task.upid);
    const { state, tasks } = pair.target.platform;
    await tasks.settled(pair.tunnelOf(guest)?.upid ?? "");
    const left = () => state.volumes.flatMap(({ vmid, name }) => (vmid === 206 ? [name] : [])).toSorted();
    assert.deepEqual(left(), ["206/vm-206-cloudinit.qcow2", "206/vm-206-disk-0.qcow2"]);
    state.guests.delete(206);
    const { task: retry } = await pair.move(guest);
    assert.equal(retry.exitstatus, "OK");
    assert.deepEqual(
      plainLog(retry).filter((line) => line.includes("different name")),
      ["206/vm-206-cloudinit.qcow2", "206/vm-206-disk-0.qcow2"].map(
        (name) => `disk-import: file '/var/lib/vz/images/${name}' already exists - importing with a different name`,
      ),
    );
    const { scsi0, ide2 } = pair.targetGuest(guest)?.config ?? {};
    assert.deepEqual(
      [scsi0, ide2],
      ["local:206/vm-206-disk-2.qcow2,size=64M", "local:206/vm-206-disk-1.qcow2,media=cdrom,size=4M"],
    );
  });

  it("cleans up what came through its own tunnel only when a later move fails in order", async () => {
    const guest = pair.place({ type: "qemu", vmid: 107 });
    const { state } = pair.target.platform;
    const [volume] = pair.source.platform.state.volumes.filter(({ vmid }) => vmid === 107);
    assert.ok(volume !== undefined);
    state.volumes.push({ ...volume, name: "207/vm-207-disk-7.raw", vmid: 207, node: "pveb" });
    const order = { type: "qmigrate", vmid: 107, atFraction: 0.3, message: "disk read error", times: 1 };
    pair.source.platform.tasks.planFailure(order);
    const { task } = await pair.move(guest, slow);
    assert.equal(task.exitstatus, "migration aborted");
    assert.deepEqual(
      state.volumes.flatMap(({ vmid, name }) => (vmid === 207 ? [name] : [])),
      ["207/vm-207-disk-7.raw"],
    );
  });

  it("leaves a VM that waits for its memory when a live move is stopped; the source goes on", async () => {
    const guest = pair.place({ type: "qemu", vmid: 101, status: "running" });
    const task = await pair.begin(guest, { ...slow, online: "1" });
    await untilLogged(task, /^mirror-scsi0: transferred .* in 2s/);
    await pair.source.platform.tasks.stop(task.upid);
    const tunnel = pair.tunnelOf(guest);
    await pair.target.platform.tasks.settled(tunnel?.upid ?? "");
    assert.deepEqual([task.exitstatus, tunnel?.exitstatus], ["migration problems", "mtunnel exited unexpectedly"]);
    assert.deepEqual([guest.runtime?.qmpstatus, guest.config.lock], ["running", undefined]);
    const left = pair.targetGuest(guest);
    assert.deepEqual(
      [left?.runtime?.qmpstatus, left?.config.lock, left?.config.name],
      ["inmigrate", "migrate", "guest101"],
    );
  });

  it("cleans the target up when the transfer fails while the tunnel lives", async () => {
    const guest = pair.place({ type: "qemu", vmid: 102 });
    pair.source.platform.tasks.planFailure({
      type: "qmigrate",
      vmid: 102,
      atFraction: 0.3,
      message: "disk read error",
      times: 1,
    });
    const { task, tunnel } = await pair.move(guest, slow);
    assert.deepEqual([task.exitstatus, tunnel?.exitstatus], ["migration aborted", "OK"]);
    assert.match(task.lines.join("\n"), /ERROR: disk read error/);
    assert.deepEqual([guest.config.lock, pair.targetGuest(guest)], [undefined, undefined]);
  });

  for (const { type, status, options } of [
    { type: "qemu", status: "stopped", options: {} },
    { type: "qemu", status: "running", options: { online: "1" } },
    { type: "lxc", status: "running", options: { restart: "1" } },
  ] as const) {
    it(`lets a ${status} ${type} guest's transfer fail at 99 % of its work, before anything is final`, async () => {
      const vmid = type === "lxc" ? 112 : status === "running" ? 111 : 110;
      const guest = pair.place({ type, vmid, status });
      const order = { type: type === "qemu" ? "qmigrate" : "vzmigrate", vmid, atFraction: 0.99, times: 1 };
      pair.source.platform.tasks.planFailure({ ...order, message: "disk read error" });
      const { task } = await pair.move(guest, options);
      assert.match(task.lines.join("\n"), /ERROR: .*disk read error/);
      assert.equal(guest.config.lock, undefined);
      assert.equal(guest.runtime !== null, status === "running");
      assert.equal(pair.targetGuest(guest), undefined);
    });
  }

  it("starts a container again on the source when its move fails", async () => {
    const guest = pair.place({ type: "lxc", vmid: 103, status: "running" });
    pair.source.platform.tasks.planFailure({
      type: "vzmigrate",
      vmid: 103,
      atFraction: 0.5,
      message: "disk read error",
      times: 1,
    });
    const { task } = await pair.move(guest, { ...slow, restart: "1" });
    assert.equal(task.exitstatus, "migration aborted");
    const log = plainLog(task);
    const cleanup = log.indexOf("start final cleanup");
    assert.equal(log[cleanup + 1], "start container on source node");
    assert.ok(guest.runtime !== null && guest.config.lock === undefined);
  });

  it("keeps the source locked when its node loses power, and the target full of leftovers", async () => {
    const guest = pair.place({ type: "qemu", vmid: 104, config: { scsi0: "local:104/vm-104-disk-0.raw,size=256M" } });
    const task = await pair.begin(guest, slow);
    await untilLogged(task, /copied, 2 s/);
    pair.source.platform.tasks.killNode("pvea");
    const tunnel = pair.tunnelOf(guest);
    await pair.target.platform.tasks.settled(tunnel?.upid ?? "");
    assert.deepEqual([task.exitstatus, tunnel?.exitstatus], ["unexpected status", "mtunnel exited unexpectedly"]);
    assert.equal(guest.config.lock, "migrate");
    assert.deepEqual(pair.targetGuest(guest)?.config, { lock: "create" });
  });

  it("removes the empty guest of a tunnel that no client came to", async () => {
    await pair.close();
    pair = await Pair.start({ target: { timeFactor: 500, tunnelPatienceMs: 300_000 } });
    const guest = pair.place({ type: "qemu", vmid: 105 });
    const secret = /PVEAPIToken=(\S+?),/.exec(pair.endpoint())?.[1] ?? "";
    const task = await pair.begin(guest, { "target-endpoint": pair.endpoint({ token: secret }) });
    await pair.source.platform.tasks.settled(task.upid);
    const tunnel = pair.tunnelOf(guest);
    await pair.target.platform.tasks.settled(tunnel?.upid ?? "");
    assert.match(
      task.lines.at(-2) ?? "",
      /ERROR: migration aborted \(duration [\d:]+\): can't open tunnel - malformed JSON string/,
    );
    assert.equal(tunnel?.exitstatus, "Exiting mtunnel");
    assert.equal(pair.targetGuest(guest), undefined);
  });
});

describe("remote migration of older releases", () => {
  it("dies live in the tunnel's taint check before 8.3", async () => {
    const pair = await Pair.start({ source: { release: "7.4" } });
    try {
      const guest = pair.place({ type: "qemu", vmid: 100, status: "running" });
      const { task, tunnel } = await pair.move(guest, { online: "1" });
      assert.deepEqual([task.exitstatus, tunnel?.exitstatus], ["migration problems", "OK"]);
      assert.match(task.lines.join("\n"), /Insecure dependency in unlink while running with -T switch/);
      assert.deepEqual(
        [guest.runtime !== null, guest.config.lock, pair.targetGuest(guest)],
        [true, undefined, undefined],
      );
    } finally {
      await pair.close();
    }
  });

  it("shows progress of a copy by its release", async () => {
    const copied = /^\d+ bytes .* copied/;
    const shapes: [release: "7.4" | "8.4" | "9.2", check: (lines: string[]) => boolean][] = [
      ["7.4", (lines) => lines.length === 1],
      ["8.4", (lines) => lines.length === 2 && (lines[0] ?? "").includes("\r")],
      ["9.2", (lines) => lines.length > 4 && !lines.join("").includes("\r")],
    ];
    for (const [release, check] of shapes) {
      const pair = await Pair.start({ source: { release } });
      try {
        const guest = pair.place({
          type: "qemu",
          vmid: 100,
          config: { scsi0: "local:100/vm-100-disk-0.raw,size=256M" },
        });
        const { task } = await pair.move(guest, { bwlimit: "32768" });
        const lines = task.lines.filter((line) => copied.test(line));
        assert.ok(check(lines), `${release}:\n${task.lines.join("\n")}`);
      } finally {
        await pair.close();
      }
    }
  });
});
