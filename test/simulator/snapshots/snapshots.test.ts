// Tests snapshots: what they keep, how they fail, and what a failure leaves behind.
import assert from "node:assert/strict";
import { Asker, standalone } from "../asking.js";

const vm = "/nodes/pvea/qemu/100";

async function withSnapshot(parameters: Record<string, string> = {}): Promise<Asker> {
  const asker = new Asker(standalone());
  await asker.makeVm(100, parameters);
  await asker.run(`POST ${vm}/snapshot`, { snapname: "one", description: "before" });
  return asker;
}

describe("simulator: snapshots", () => {
  it("MUST bring back the former settings and sizes, but neither description nor unused disks", async () => {
    const asker = await withSnapshot();
    await asker.run(`PUT ${vm}/resize`, { disk: "scsi0", size: "+1G" });
    await asker.data(`PUT ${vm}/config`, { memory: "1024", description: "after" });
    const before = await asker.record(`GET ${vm}/config`);
    assert.equal((await asker.run(`POST ${vm}/snapshot/one/rollback`)).exit, "OK");
    const config = await asker.record(`GET ${vm}/config`);
    assert.deepEqual(
      [config.memory, config.scsi0, config.description, config.parent],
      ["512", "local:100/vm-100-disk-0.qcow2,size=1G", "after", "one"],
    );
    assert.notEqual(config.vmgenid, before.vmgenid);
    assert.equal(asker.platform.state.volumes.find(({ name }) => name.endsWith("disk-0.qcow2"))?.size, 1024 ** 3);
  });

  it("MUST leave the guest locked when the image has lost the snapshot, until it is removed by force", async () => {
    const asker = await withSnapshot();
    for (const volume of asker.platform.state.volumes) delete volume.snapshots;
    const path = "/var/lib/vz/images/100/vm-100-disk-0.qcow2";
    const { exit } = await asker.run(`POST ${vm}/snapshot/one/rollback`);
    assert.equal(exit, `command '/usr/bin/qemu-img snapshot -a one ${path}' failed: exit code 1`);
    assert.equal((await asker.record(`GET ${vm}/config`)).lock, "rollback");
    const root = asker.as("root@pam");
    await root.data(`PUT ${vm}/config`, { delete: "lock", skiplock: "1" });
    assert.match((await asker.run(`DELETE ${vm}/snapshot/one`)).exit, /snapshot -d one/);
    assert.deepEqual((await asker.rows(`GET ${vm}/snapshot`))[0]?.snapstate, "delete");
    await root.data(`PUT ${vm}/config`, { delete: "lock", skiplock: "1" });
    assert.equal(
      (await asker.run(`POST ${vm}/snapshot/one/rollback`)).exit,
      "unable to rollback to incomplete snapshot (snapstate = delete)",
    );
    assert.equal((await asker.run(`DELETE ${vm}/snapshot/one`, { force: "1" })).exit, "OK");
    assert.equal((await asker.rows(`GET ${vm}/snapshot`)).length, 1);
  });

  it("MUST keep the memory of a running VM, and let it go on from there", async () => {
    const asker = new Asker(standalone());
    await asker.makeVm(100);
    await asker.run(`POST ${vm}/status/start`);
    assert.equal((await asker.run(`POST ${vm}/snapshot`, { snapname: "live", vmstate: "1" })).exit, "OK");
    const [row] = await asker.rows(`GET ${vm}/snapshot`);
    assert.deepEqual([row?.name, row?.vmstate], ["live", 1]);
    const states = (): string[] =>
      asker.platform.state.volumes.map(({ name }) => name).filter((name) => name.includes("state"));
    assert.deepEqual(states(), ["100/vm-100-state-live.raw"]);
    await asker.run(`POST ${vm}/status/stop`);
    await asker.run(`POST ${vm}/snapshot/live/rollback`);
    assert.equal((await asker.record(`GET ${vm}/status/current`)).status, "running");
    await asker.run(`DELETE ${vm}/snapshot/live`);
    assert.deepEqual(states(), []);
  });

  it("MUST NOT free an unused disk that a snapshot holds", async () => {
    const asker = await withSnapshot();
    await asker.data(`PUT ${vm}/unlink`, { idlist: "scsi0" });
    const reply = await asker.ask(`PUT ${vm}/config`, { delete: "unused0" });
    assert.equal(
      reply.message,
      "unable to delete 'local:100/vm-100-disk-0.qcow2' - volume is still in use (snapshot?)",
    );
  });

  it("MUST report what a guest can do, without reporting why not", async () => {
    const asker = await withSnapshot();
    const feature = async (name: string): Promise<unknown> =>
      (await asker.record(`GET ${vm}/feature`, { feature: name })).hasFeature;
    assert.deepEqual([await feature("snapshot"), await feature("clone"), await feature("copy")], [1, 0, 1]);
  });

  it("MUST leave what could not be plugged pending, with the reason", async () => {
    const asker = new Asker(standalone());
    const hotplug = "network,disk,usb,memory,cpu";
    await asker.makeVm(100, { hotplug, numa: "1", memory: "1024", cores: "2", vcpus: "1" });
    await asker.run(`POST ${vm}/status/start`);
    const processors = await asker.ask(`PUT ${vm}/config`, { vcpus: "3" });
    assert.deepEqual(processors.errors, { vcpus: "hotplug problem - you can't add more vcpus than maxcpus\n" });
    await asker.data(`PUT ${vm}/config`, { memory: "1600" });
    const memory = await asker.ask(`PUT ${vm}/config`, { memory: "1024" });
    assert.deepEqual(memory.errors, {
      memory: "hotplug problem - 400 Parameter verification failed.\ndimm1: error unplug memory module\n",
    });
    const pending = await asker.rows(`GET ${vm}/pending`);
    const waits = (key: string): unknown => pending.find((row) => row.key === key);
    assert.deepEqual(waits("vcpus"), { key: "vcpus", value: 1, pending: 3 });
    assert.deepEqual(waits("memory"), { key: "memory", value: "2048", pending: "1024" });
  });
});
