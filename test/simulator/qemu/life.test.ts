// Tests the life of VMs: create, clone, configure, resize, template, snapshot, destroy.
import assert from "node:assert/strict";
import { Asker, standalone } from "../asking.js";

const vm = "/nodes/pvea/qemu/100";
const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHG170qy/p5c3GMTIUS1ovtzlwm5ar/3B2ax++X/7P8O panel@example.test";

async function withVm(parameters: Record<string, string> = {}): Promise<Asker> {
  const asker = new Asker(standalone());
  await asker.makeVm(100, parameters);
  return asker;
}

async function withTemplate(): Promise<Asker> {
  const asker = new Asker(standalone());
  await asker.makeVm(9000);
  await asker.run("POST /nodes/pvea/qemu/9000/template");
  return asker;
}

describe("simulator: QEMU life", () => {
  it("MUST make disks, a cloud-init drive and identifiers", async () => {
    const asker = await withVm();
    const config = await asker.record(`GET ${vm}/config`);
    assert.equal(config.scsi0, "local:100/vm-100-disk-0.qcow2,size=1G");
    assert.equal(config.ide2, "local:100/vm-100-cloudinit.qcow2,media=cdrom");
    assert.match(String(config.net0), /^virtio=BC:24:11(?::[0-9A-F]{2}){3},bridge=vmbr0$/);
    assert.match(String(config.smbios1), /^uuid=[0-9a-f-]{36}$/);
    assert.deepEqual([config.cores, config.memory, config.boot], [2, "512", "order=scsi0"]);
    const content = await asker.rows("GET /nodes/pvea/storage/local/content", { vmid: "100" });
    assert.deepEqual(
      content.map((row) => row.size),
      [4_194_304, 1024 ** 3],
    );
  });

  it("MUST choose what to boot from when no order is given", async () => {
    const asker = new Asker(standalone());
    await asker.run("POST /nodes/pvea/qemu", { vmid: "101", scsi0: "local:1", net0: "virtio,bridge=vmbr0" });
    assert.equal((await asker.record("GET /nodes/pvea/qemu/101/config")).boot, "order=scsi0;net0");
  });

  it("MUST refuse a taken VMID in three ways", async () => {
    const asker = await withTemplate();
    const create = await asker.ask("POST /nodes/pvea/qemu", { vmid: "9000" });
    assert.equal(create.message, "unable to create VM 9000 - VM 9000 already exists on node 'pvea'");
    const clone = await asker.ask("POST /nodes/pvea/qemu/9000/clone", { newid: "9000" });
    assert.equal(clone.message, "unable to create VM 9000: config file already exists");
    const container = await asker.ask("POST /nodes/pvea/lxc", { vmid: "9000", ostemplate: "local:vztmpl/x.tar.gz" });
    assert.equal(container.message, "VM 9000 already exists on node 'pvea'");
  });

  it("MUST leave nothing of a VM whose disk cannot be made", async () => {
    const asker = new Asker(
      standalone({
        storages: [
          { name: "local", type: "dir" },
          { name: "thick", type: "lvm", totalBytes: 1024 ** 3 },
        ],
      }),
    );
    const { exit } = await asker.run("POST /nodes/pvea/qemu", { vmid: "100", scsi0: "local:1", scsi1: "thick:8" });
    assert.match(exit, /^unable to create VM 100 - lvcreate .* insufficient free space/);
    assert.equal((await asker.ask(`GET ${vm}/config`)).status, 500);
    assert.deepEqual(
      asker.platform.state.volumes.filter((volume) => volume.vmid === 100),
      [],
    );
  });

  it("MUST link clones of a template to its base, with identifiers of their own", async () => {
    const asker = await withTemplate();
    const template = await asker.record("GET /nodes/pvea/qemu/9000/config");
    assert.deepEqual([template.template, template.scsi0], [1, "local:9000/base-9000-disk-0.qcow2,size=1G"]);
    const { exit } = await asker.run("POST /nodes/pvea/qemu/9000/clone", { newid: "100", name: "web1" });
    assert.equal(exit, "OK");
    const config = await asker.record(`GET ${vm}/config`);
    assert.equal(config.scsi0, "local:9000/base-9000-disk-0.qcow2/100/vm-100-disk-0.qcow2,size=1G");
    assert.equal(config.ide2, "local:100/vm-100-cloudinit.qcow2,media=cdrom,size=4M");
    assert.equal(config.name, "web1");
    assert.equal(config.template, undefined);
    for (const same of ["net0", "smbios1", "vmgenid"]) assert.notEqual(config[same], template[same], same);
    const used = await asker.run("DELETE /nodes/pvea/qemu/9000");
    assert.equal(used.exit, "base volume 'local:9000/base-9000-disk-0.qcow2' is still in use by linked cloned");
  });

  it("MUST copy full clones to the storage and format asked for", async () => {
    const asker = await withTemplate();
    const { exit, log } = await asker.run("POST /nodes/pvea/qemu/9000/clone", {
      newid: "100",
      full: "1",
      storage: "local",
      format: "raw",
    });
    assert.equal(exit, "OK");
    assert.ok(log.includes("transferred 1.0 GiB of 1.0 GiB (100.00%)"));
    const config = await asker.record(`GET ${vm}/config`);
    assert.deepEqual([config.scsi0, config.name], ["local:100/vm-100-disk-0.raw,size=1G", "Copy-of-VM-vm9000"]);
  });

  it("MUST refuse clones that cannot be", async () => {
    const asker = await withTemplate();
    await asker.makeVm(101);
    const cases: [string, Record<string, string>, string][] = [
      ["9000", { newid: "150", storage: "local" }, "parameter 'storage' not allowed for linked clones"],
      ["9000", { newid: "150", full: "1", storage: "nosuch" }, "storage 'nosuch' does not exist"],
      ["7777", { newid: "150" }, "unable to find configuration file for VM 7777 on node 'pvea'"],
      ["9000", { newid: "150", target: "pvez" }, "no such cluster node 'pvez'"],
      [
        "101",
        { newid: "150", full: "0" },
        "Linked clone feature is not supported for 'local:101/vm-101-disk-0.qcow2' (scsi0)",
      ],
    ];
    for (const [vmid, parameters, message] of cases)
      assert.deepEqual(await asker.ask(`POST /nodes/pvea/qemu/${vmid}/clone`, parameters), { status: 500, message });
    assert.deepEqual((await asker.ask("POST /nodes/pvea/qemu/9000/clone")).errors, {
      newid: "property is missing and it is not optional",
    });
  });

  it("MUST clone one template many times at once", async () => {
    const asker = await withTemplate();
    const runs = Array.from({ length: 10 }, (_, index) =>
      asker.run("POST /nodes/pvea/qemu/9000/clone", { newid: String(200 + index) }),
    );
    assert.deepEqual(
      (await Promise.all(runs)).map(({ exit }) => exit),
      Array.from({ length: 10 }, () => "OK"),
    );
  });

  it("MUST mask passwords, keep keys encoded and put tags in order", async () => {
    const asker = await withVm();
    const sshkeys = encodeURIComponent(key);
    await asker.data(`PUT ${vm}/config`, {
      cipassword: "init-Pass1",
      sshkeys,
      tags: "Web;prod,web",
      description: "a\nb",
    });
    const config = await asker.record(`GET ${vm}/config`);
    assert.deepEqual(
      [config.cipassword, config.sshkeys, config.tags, config.description],
      ["**********", sshkeys, "prod;web", "a\nb"],
    );
    const dump = String(await asker.data(`GET ${vm}/cloudinit/dump`, { type: "user" }));
    assert.ok(dump.includes(`  - ${key}\n`) && /password: \$5\$/.test(dump));
    assert.equal(
      (await asker.ask(`PUT ${vm}/config`, { sshkeys: "hello%20world" })).message,
      "SSH public key validation error",
    );
  });

  it("MUST refuse stale digests, unknown keys and empty changes", async () => {
    const asker = await withVm();
    const { digest } = await asker.record(`GET ${vm}/config`);
    assert.equal((await asker.ask(`PUT ${vm}/config`, { onboot: "1", digest: String(digest) })).status, 200);
    const stale = await asker.ask(`PUT ${vm}/config`, { onboot: "0", digest: String(digest) });
    assert.equal(stale.message, "checksum mismatch (file change by other user?)");
    assert.deepEqual((await asker.ask(`PUT ${vm}/config`, { delete: "nosuch" })).errors, {
      delete: "unknown option 'nosuch'",
    });
    assert.equal((await asker.ask(`PUT ${vm}/config`)).message, "no options specified");
    assert.equal(
      (await asker.ask(`PUT ${vm}/config`, { scsi1: "nosuch:1" })).message,
      "storage 'nosuch' does not exist",
    );
  });

  it("MUST change in a task, and answer null when done within the delay", async () => {
    const asker = await withVm();
    const { exit, log } = await asker.run(`POST ${vm}/config`, { memory: "256", cipassword: "secret" });
    assert.deepEqual([exit, log[0]], ["OK", "update VM 100: -cipassword <hidden> -memory 256"]);
    assert.equal(await asker.data(`POST ${vm}/config`, { memory: "300", background_delay: "5" }), null);
  });

  it("MUST keep a detached disk as unused and free it on request", async () => {
    const asker = await withVm();
    await asker.data(`PUT ${vm}/config`, { delete: "scsi0" });
    const config = await asker.record(`GET ${vm}/config`);
    assert.deepEqual([config.scsi0, config.unused0, config.boot], [undefined, "local:100/vm-100-disk-0.qcow2", " "]);
    await asker.data(`PUT ${vm}/config`, { delete: "unused0" });
    assert.deepEqual(
      await asker
        .rows("GET /nodes/pvea/storage/local/content", { vmid: "100", content: "images" })
        .then((rows) => rows.length),
      1,
    );
  });

  it("MUST let changes of a running VM wait that cannot be hot-plugged", async () => {
    const asker = await withVm();
    await asker.run(`POST ${vm}/status/start`);
    await asker.data(`PUT ${vm}/config`, { memory: "320", name: "renamed", scsi1: "local:1" });
    const pending = await asker.rows(`GET ${vm}/pending`);
    assert.deepEqual(
      pending.find((row) => row.key === "memory"),
      { key: "memory", value: "512", pending: "320" },
    );
    assert.deepEqual(
      pending.filter((row) => row.pending !== undefined).map((row) => row.key),
      ["memory"],
    );
    assert.equal((await asker.record(`GET ${vm}/config`)).memory, "320");
    assert.equal((await asker.record(`GET ${vm}/config`, { current: "1" })).memory, "512");
    await asker.run(`POST ${vm}/status/stop`);
    assert.equal((await asker.record(`GET ${vm}/config`, { current: "1" })).memory, "320");
  });

  it("MUST drop a pending change on request", async () => {
    const asker = await withVm();
    await asker.run(`POST ${vm}/status/start`);
    await asker.data(`PUT ${vm}/config`, { memory: "320" });
    await asker.data(`PUT ${vm}/config`, { revert: "memory" });
    assert.equal((await asker.record(`GET ${vm}/config`)).memory, "512");
  });

  it("MUST grow disks in a task, and refuse to shrink them there", async () => {
    const asker = await withVm();
    const resize = (size: string, disk = "scsi0"): Promise<{ exit: string }> =>
      asker.run(`PUT ${vm}/resize`, { disk, size });
    assert.equal((await resize("+1G")).exit, "OK");
    assert.equal((await resize("2G")).exit, "OK");
    assert.equal((await asker.record(`GET ${vm}/config`)).scsi0, "local:100/vm-100-disk-0.qcow2,size=2G");
    assert.equal((await resize("1G")).exit, "shrinking disks is not supported");
    assert.equal((await resize("+1G", "scsi7")).exit, "disk 'scsi7' does not exist");
    assert.equal((await resize("+1G", "ide2")).exit, "you can't resize a cdrom");
  });

  it("MUST resize at once on 7.4", async () => {
    const asker = new Asker(standalone({ release: "7.4" }));
    await asker.makeVm(100);
    assert.equal(await asker.data(`PUT ${vm}/resize`, { disk: "scsi0", size: "+1G" }), null);
    const refused = await asker.ask(`PUT ${vm}/resize`, { disk: "scsi0", size: "1G" });
    assert.deepEqual(refused, { status: 500, message: "shrinking disks is not supported" });
  });

  it("MUST always list current among the snapshots", async () => {
    const asker = await withVm();
    assert.deepEqual(
      (await asker.rows(`GET ${vm}/snapshot`)).map((row) => row.name),
      ["current"],
    );
    assert.equal((await asker.run(`POST ${vm}/snapshot`, { snapname: "before" })).exit, "OK");
    assert.equal((await asker.run(`POST ${vm}/snapshot`, { snapname: "after" })).exit, "OK");
    const rows = await asker.rows(`GET ${vm}/snapshot`);
    assert.deepEqual(
      rows.map((row) => [row.name, row.parent]),
      [
        ["before", undefined],
        ["after", "before"],
        ["current", "after"],
      ],
    );
    assert.equal((await asker.run(`DELETE ${vm}/snapshot/after`)).exit, "OK");
    assert.equal((await asker.record(`GET ${vm}/config`)).parent, "before");
    assert.equal(
      (await asker.ask(`POST ${vm}/template`)).message,
      "unable to create template, because VM contains snapshots",
    );
    assert.equal((await asker.ask(`POST ${vm}/snapshot`, { snapname: "current" })).status, 500);
  });

  it("MUST destroy volumes, rules and configuration, unless protected", async () => {
    const asker = await withVm();
    await asker.data("PUT /access/acl", { path: "/vms/100", roles: "PVEVMUser", users: "root@pam" });
    await asker.data(`PUT ${vm}/config`, { protection: "1" });
    assert.equal((await asker.ask(`DELETE ${vm}`)).message, "can't remove VM 100 - protection mode enabled");
    await asker.data(`PUT ${vm}/config`, { protection: "0" });
    const { exit, log } = await asker.run(`DELETE ${vm}`, { purge: "1" });
    assert.deepEqual([exit, log], ["OK", ["purging VM 100 from related configurations..", "TASK OK"]]);
    assert.deepEqual(
      asker.platform.state.volumes.filter((volume) => volume.vmid === 100),
      [],
    );
    assert.deepEqual(await asker.rows("GET /access/acl"), []);
    assert.equal(
      (await asker.ask(`DELETE ${vm}`)).message,
      "Configuration file 'nodes/pvea/qemu-server/100.conf' does not exist",
    );
  });
});
