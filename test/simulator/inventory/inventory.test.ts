// Tests the inventory: resources that lag, space, interfaces, figures over time, the next VMID.
import assert from "node:assert/strict";
import { Asker, standalone } from "../asking.js";

describe("simulator: inventory", () => {
  it("MUST show a new guest's state in the resources only after a broadcast", async () => {
    const asker = new Asker(standalone({ timeFactor: 1 }));
    asker.platform.clock.timeFactor = 1000;
    await asker.makeVm(100, { tags: "a" });
    asker.platform.clock.timeFactor = 1;
    const guest = asker.platform.state.guests.get(100);
    assert.ok(guest);
    guest.createdAtMs = asker.platform.clock.now();
    const [fresh] = await asker.rows("GET /cluster/resources", { type: "vm" });
    assert.deepEqual(fresh, { id: "qemu/100", type: "qemu", vmid: 100, node: "pvea", status: "unknown", tags: "a" });
    guest.createdAtMs -= 10_000;
    const [known] = await asker.rows("GET /cluster/resources", { type: "vm" });
    assert.deepEqual(
      [known?.name, known?.status, known?.maxmem, known?.maxdisk],
      ["vm100", "stopped", 512 * 1024 ** 2, 1024 ** 3],
    );
  });

  it("MUST count the space of volumes", async () => {
    const asker = new Asker(
      standalone({
        storages: [
          { name: "local", type: "dir" },
          { name: "thick", type: "lvm", totalBytes: 100 * 1024 ** 3 },
        ],
      }),
    );
    await asker.makeVm(100, { scsi1: "thick:40" });
    const status = await asker.record("GET /nodes/pvea/storage/thick/status");
    assert.deepEqual(
      [status.total, status.used, status.avail],
      [100, 40, 60].map((gib) => gib * 1024 ** 3),
    );
    const [row] = await asker.rows("GET /nodes/pvea/storage", { storage: "thick" });
    assert.equal(row?.used_fraction, 0.4);
  });

  it("MUST filter storages by content and content by kind", async () => {
    const asker = new Asker(
      standalone({
        storages: [
          { name: "local", type: "dir" },
          { name: "vms", type: "lvmthin", content: ["images"] },
        ],
      }),
    );
    await asker.makeVm(100);
    assert.deepEqual(
      (await asker.rows("GET /nodes/pvea/storage", { content: "rootdir" })).map((row) => row.storage),
      ["local"],
    );
    assert.deepEqual(
      (await asker.rows("GET /nodes/pvea/storage/local/content", { content: "vztmpl" })).map((row) => row.format),
      ["tgz"],
    );
    assert.equal(
      (await asker.ask("GET /nodes/pvea/storage/nosuch/content")).message,
      "storage 'nosuch' does not exist",
    );
  });

  it("MUST list only interfaces that are configured", async () => {
    const rows = await new Asker(standalone()).rows("GET /nodes/pvea/network", { type: "any_bridge" });
    assert.deepEqual(
      rows.map((row) => [row.iface, row.active]),
      [["vmbr0", 1]],
    );
  });

  it("MUST give sixty samples a minute apart, the last of them now", async () => {
    const asker = new Asker(standalone({ nodes: [{ name: "pvea", cpuLoad: 0.5, uptimeSeconds: 100_000 }] }));
    const rows = await asker.rows("GET /nodes/pvea/rrddata", { timeframe: "hour", cf: "AVERAGE" });
    assert.equal(rows.length, 60);
    const times = rows.map((row) => Number(row.time));
    assert.ok(times.every((time, index) => index === 0 || time - (times[index - 1] ?? 0) === 60));
    assert.ok(Math.abs((times.at(-1) ?? 0) - Date.now() / 1000) < 61);
    assert.ok(rows.every((row) => Math.abs(Number(row.cpu) - 0.5) < 0.06));
  });

  it("MUST leave figures out of the minutes before the node was up", async () => {
    const asker = new Asker(standalone({ nodes: [{ name: "pvea", uptimeSeconds: 600 }] }));
    const rows = await asker.rows("GET /nodes/pvea/rrddata", { timeframe: "hour" });
    const known = rows.filter((row) => row.cpu !== undefined).length;
    assert.ok(known >= 9 && known <= 11, String(known));
  });

  it("MUST add the load of running guests to their node", async () => {
    const asker = new Asker(standalone());
    await asker.makeVm(100, { cores: "4" });
    const before = await asker.record("GET /nodes/pvea/status");
    await asker.run("POST /nodes/pvea/qemu/100/status/start");
    const guest = asker.platform.state.guests.get(100);
    assert.ok(guest?.runtime);
    guest.runtime.cpu = 0.8;
    guest.runtime.memoryBytes = 256 * 1024 ** 2;
    const after = await asker.record("GET /nodes/pvea/status");
    assert.ok(Number(after.cpu) > Number(before.cpu) + 0.5);
    const [used, usedBefore] = [after.memory, before.memory].map((memory) => Number(Object(memory).used));
    assert.equal((used ?? 0) - (usedBefore ?? 0), 256 * 1024 ** 2);
  });

  it("MUST give the next VMID as text and refuse a taken one", async () => {
    const asker = new Asker(standalone());
    await asker.makeVm(100);
    assert.equal(await asker.data("GET /cluster/nextid"), "101");
    assert.equal(await asker.data("GET /cluster/nextid", { vmid: "321" }), "321");
    assert.deepEqual((await asker.ask("GET /cluster/nextid", { vmid: "100" })).errors, {
      vmid: "VM 100 already exists",
    });
  });

  it("MUST give the next VMID from the range of the datacenter, whose options auditors are shown", async () => {
    const asker = new Asker(standalone());
    await asker.makeVm(100);
    assert.equal(Object.hasOwn(await asker.record("GET /cluster/options"), "next-id"), false);
    asker.platform.state.nextId = { lower: 100, upper: 102 };
    assert.deepEqual((await asker.record("GET /cluster/options"))["next-id"], { lower: "100", upper: "102" });
    assert.equal(await asker.data("GET /cluster/nextid"), "101");
    await asker.makeVm(101);
    const used = await asker.ask("GET /cluster/nextid");
    assert.deepEqual([used.status, used.message], [500, "unable to get any free VMID in range [100, 102]"]);
    assert.equal(await asker.data("GET /cluster/nextid", { vmid: "321" }), "321");
  });

  it("MUST report which version each release is", async () => {
    for (const release of ["7.4", "8.4", "9.2"] as const) {
      const version = await new Asker(standalone({ release })).record("GET /version");
      assert.equal(version.release, release);
      assert.match(String(version.version), new RegExp(`^${release}[.-]\\d+$`));
    }
  });

  it("MUST show one interface without its name, and refuse one that the file has not", async () => {
    const asker = new Asker(standalone());
    const [listed] = await asker.rows("GET /nodes/pvea/network");
    const shown = await asker.record("GET /nodes/pvea/network/vmbr0");
    assert.deepEqual({ iface: "vmbr0", ...shown }, listed);
    const unknown = await asker.ask("GET /nodes/pvea/network/vmbr1");
    assert.deepEqual([unknown.status, unknown.errors], [400, { iface: "interface does not exist" }]);
  });

  it("MUST show the time of a node to a user who may audit it", async () => {
    const asker = new Asker(standalone());
    const { time, localtime, timezone } = await asker.record("GET /nodes/pvea/time");
    const offset = new Date(Number(time) * 1000).getTimezoneOffset() * 60;
    assert.deepEqual([typeof time, localtime, typeof timezone], ["number", Number(time) - offset, "string"]);
    await asker.data("POST /access/users", { userid: "eve@pve" });
    assert.equal((await asker.as("eve@pve").ask("GET /nodes/pvea/time")).status, 403);
  });

  it("MUST show what is no image as raw, and report of a missing volume that it has no format", async () => {
    const asker = new Asker(standalone());
    const content = "GET /nodes/pvea/storage/local/content";
    assert.equal((await asker.record(`${content}/local:iso%2Frescue.iso`)).format, "raw");
    assert.equal((await asker.record(`${content}/iso%2Frescue.iso`)).path, "/var/lib/vz/template/iso/rescue.iso");
    assert.equal(
      (await asker.ask(`${content}/local:iso%2Fnosuch.iso`)).message,
      "volume_size_info on 'local:iso/nosuch.iso' failed - no format",
    );
    assert.equal((await asker.ask(`${content}/local:what`)).message, "unable to parse directory volume name 'what'");
  });

  it("MUST give a container without a number of cores all processors of its node, also while it is stopped", async () => {
    const asker = new Asker(standalone({ nodes: [{ name: "pvea", cpus: 12 }] }));
    await asker.makeContainer(100);
    await asker.platform.clock.sleep(10_000);
    const [row] = await asker.rows("GET /cluster/resources", { type: "vm" });
    const status = await asker.record("GET /nodes/pvea/lxc/100/status/current");
    assert.deepEqual([row?.maxcpu, status.cpus], [12, 12]);
  });
});
