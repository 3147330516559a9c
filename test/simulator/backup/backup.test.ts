// Tests backups: one task a node, locks, what is left of a stopped one, restorations, retention and jobs.
import assert from "node:assert/strict";
import { prunable } from "../../../simulator/backup/prune.js";
import { templateProblem } from "../../../simulator/backup/notes.js";
import { Asker, standalone } from "../asking.js";

const vm = "/nodes/pvea/qemu/100";
const content = "/nodes/pvea/storage/local/content";

async function withVm(parameters: Record<string, string> = {}): Promise<Asker> {
  const asker = new Asker(standalone());
  await asker.makeVm(100, parameters);
  return asker;
}

async function archives(asker: Asker): Promise<Record<string, unknown>[]> {
  return asker.rows(`GET ${content}`, { content: "backup" });
}

async function backUp(asker: Asker, parameters: Record<string, string> = {}): Promise<string> {
  const { exit } = await asker.run("POST /nodes/pvea/vzdump", { vmid: "100", storage: "local", ...parameters });
  assert.equal(exit, "OK");
  return String((await archives(asker)).at(-1)?.volid);
}

describe("simulator: backups", () => {
  it("MUST start a stopped VM for its backup, locked, and stop it again", async () => {
    const asker = await withVm();
    const upid = String(await asker.data("POST /nodes/pvea/vzdump", { vmid: "100", storage: "local" }));
    await asker.platform.clock.sleep(2000);
    const during = await asker.record(`GET ${vm}/status/current`);
    assert.deepEqual([during.status, during.lock], ["running", "backup"]);
    assert.equal((await asker.ask(`PUT ${vm}/config`, { memory: "256" })).message, "VM is locked (backup)");
    await asker.platform.tasks.settled(upid);
    const after = await asker.record(`GET ${vm}/status/current`);
    assert.deepEqual([after.status, after.lock], ["stopped", undefined]);
    const [row] = await archives(asker);
    assert.deepEqual([row?.vmid, row?.format, row?.subtype], [100, "vma", "qemu"]);
  });

  it("MUST let a second backup of the node wait, and leave nothing of one that is stopped", async () => {
    const asker = await withVm();
    const order = { vmid: "100", storage: "local" };
    const first = String(await asker.data("POST /nodes/pvea/vzdump", order));
    await asker.platform.clock.sleep(1000);
    const second = String(await asker.data("POST /nodes/pvea/vzdump", order));
    await asker.platform.clock.sleep(1000);
    const waits = asker.platform.tasks.find(second);
    assert.deepEqual([waits?.exitstatus, waits?.lines], [null, ["INFO: trying to get global lock - waiting..."]]);
    await asker.data(`DELETE /nodes/pvea/tasks/${encodeURIComponent(first)}`);
    assert.equal(asker.platform.tasks.find(first)?.exitstatus, "interrupted by signal");
    await asker.platform.tasks.settled(second);
    assert.equal(asker.platform.tasks.find(second)?.exitstatus, "OK");
    assert.equal((await archives(asker)).length, 1);
    assert.equal((await asker.record(`GET ${vm}/config`)).lock, undefined);
  });

  it("MUST find a missing guest only in the task, and go on with the others", async () => {
    const asker = await withVm();
    const { exit, log } = await asker.run("POST /nodes/pvea/vzdump", { vmid: "199,100", storage: "local" });
    assert.equal(exit, "job errors");
    assert.ok(log.includes("ERROR: Backup of VM 199 failed - unable to find VM '199'"), log.join("\n"));
    assert.equal((await archives(asker)).length, 1);
  });

  it("MUST put a VM back over itself only by force, and keep a disk that was not saved", async () => {
    const asker = await withVm({ scsi1: "local:1,backup=0" });
    const archive = await backUp(asker, { compress: "zstd" });
    await asker.data(`PUT ${vm}/config`, { memory: "1024" });
    const refused = await asker.ask("POST /nodes/pvea/qemu", { vmid: "100", archive });
    assert.equal(refused.message, "unable to restore VM 100 - VM 100 already exists on node 'pvea'");
    const { exit } = await asker.run("POST /nodes/pvea/qemu", { vmid: "100", archive, force: "1" });
    assert.equal(exit, "OK");
    const config = await asker.record(`GET ${vm}/config`);
    assert.deepEqual(
      [config.memory, config.scsi1, config.unused0, config.lock],
      ["512", undefined, "local:100/vm-100-disk-1.raw", undefined],
    );
  });

  it("MUST give a unique copy addresses of its own", async () => {
    const asker = await withVm();
    const archive = await backUp(asker);
    await asker.run("POST /nodes/pvea/qemu", { vmid: "101", archive, unique: "1" });
    const [original, copy] = await Promise.all(
      [100, 101].map((vmid) => asker.record(`GET /nodes/pvea/qemu/${vmid}/config`)),
    );
    assert.equal(copy?.name, original?.name);
    assert.notEqual(copy?.net0, original?.net0);
    assert.equal(copy?.scsi0, "local:101/vm-101-disk-0.qcow2,size=1G");
  });

  it("MUST leave an empty guest behind when an archive is of the other kind", async () => {
    const asker = new Asker(standalone());
    await asker.makeContainer(100);
    const archive = await backUp(asker);
    const { exit } = await asker.run("POST /nodes/pvea/qemu", { vmid: "101", archive });
    assert.match(exit, /does not look like a QemuServer vzdump backup$/);
    assert.deepEqual(Object.keys(await asker.record("GET /nodes/pvea/qemu/101/config")), ["digest"]);
    assert.equal((await asker.run("DELETE /nodes/pvea/qemu/101")).exit, "OK");
  });

  it("MUST restore a container with what the request states besides, but not over a running one", async () => {
    const asker = new Asker(standalone());
    await asker.makeContainer(100, { tags: "app" });
    const ostemplate = await backUp(asker);
    const copy = { vmid: "101", ostemplate, restore: "1", hostname: "copy", rootfs: "local:2" };
    assert.equal((await asker.run("POST /nodes/pvea/lxc", copy)).exit, "OK");
    const config = await asker.record("GET /nodes/pvea/lxc/101/config");
    assert.deepEqual(
      [config.hostname, config.tags, config.rootfs],
      ["copy", "app", "local:101/vm-101-disk-0.raw,size=2G"],
    );
    await asker.run("POST /nodes/pvea/lxc/100/status/start");
    const over = await asker.ask("POST /nodes/pvea/lxc", { vmid: "100", ostemplate, restore: "1", force: "1" });
    assert.equal(over.message, "can't overwrite running container");
  });

  it("MUST keep notes and protection, and refuse to delete what is protected", async () => {
    const asker = await withVm();
    const volume = await backUp(asker, { "notes-template": String.raw`{{guestname}}\nsecond`, protected: "1" });
    const path = `${content}/${encodeURIComponent(volume)}`;
    assert.deepEqual((await archives(asker))[0]?.notes, "vm100");
    assert.equal((await asker.record(`GET ${path}`)).notes, "vm100\nsecond");
    assert.match((await asker.run(`DELETE ${path}`)).exit, /^cannot remove protected volume 'backup\//);
    await asker.data(`PUT ${path}`, { protected: "0" });
    assert.equal((await asker.run(`DELETE ${path}`)).exit, "OK");
    assert.deepEqual(await archives(asker), []);
  });

  it("MUST name what is unknown in a template of notes", () => {
    assert.equal(templateProblem("{{nosuch}}"), "found unknown: variable 'nosuch' at char 4\n");
    assert.equal(templateProblem("one\ntwo"), "contains a line feed\n");
    assert.equal(templateProblem(String.raw`{{vmid}}\n`), null);
  });

  it("MUST count a retention by periods that no earlier rule covered", () => {
    const day = 86_400;
    const noon = Math.floor(new Date(2026, 10, 20, 12).getTime() / 1000);
    const made = Array.from({ length: 10 }, (_, index) => noon - index * (day / 2));
    const backups = made.map((ctime) => ({ volid: String(ctime), ctime, protected: false }));
    const kept = (rules: Record<string, number>): number[] => {
      const gone = new Set(prunable(backups, rules).map(({ ctime }) => ctime));
      return made.filter((ctime) => !gone.has(ctime)).map((ctime) => (noon - ctime) / (day / 2));
    };
    assert.deepEqual(kept({ "keep-last": 2 }), [0, 1]);
    // The two newest are of the 20th, which needs no daily one any more.
    assert.deepEqual(kept({ "keep-last": 2, "keep-daily": 2 }), [0, 1, 2, 4]);
    assert.deepEqual(kept({}).length, 10);
  });

  it("MUST let another choice of a job's guests take the place of the former", async () => {
    const asker = await withVm();
    await asker.data("POST /cluster/backup", { id: "nightly", starttime: "02:30", dow: "mon,tue", vmid: "100" });
    await asker.data("PUT /cluster/backup/nightly", { all: "1" });
    const job = await asker.record("GET /cluster/backup/nightly");
    assert.deepEqual([job.schedule, job.vmid, job.all, job.enabled], ["mon,tue 02:30", undefined, 1, 1]);
    assert.deepEqual(await asker.rows("GET /cluster/backup-info/not-backed-up"), []);
  });
});
