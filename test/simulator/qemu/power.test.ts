// Tests the power actions of VMs: what each state refuses, what a guest makes of a shutdown, high availability.
import assert from "node:assert/strict";
import { Asker, standalone } from "../asking.js";

const vm = "/nodes/pvea/qemu/100";

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

describe("simulator: QEMU power", () => {
  it("MUST answer power actions by the state that the VM is in", async () => {
    const asker = await withVm({ agent: "1" });
    const post = (action: string, parameters: Record<string, string> = {}): ReturnType<Asker["run"]> =>
      asker.run(`POST ${vm}/status/${action}`, parameters);
    const refused = async (action: string): Promise<string | undefined> =>
      (await asker.ask(`POST ${vm}/status/${action}`)).message;
    for (const action of ["suspend", "resume", "reboot", "reset"])
      assert.equal(await refused(action), "VM 100 not running", action);
    assert.equal((await post("stop")).exit, "OK");
    assert.equal((await post("shutdown")).exit, "OK");
    const started = await post("start");
    assert.deepEqual(started.log, ["generating cloud-init ISO", "TASK OK"]);
    assert.equal((await post("start")).exit, "VM 100 already running");
    assert.equal((await asker.ask(`DELETE ${vm}`)).message, "VM 100 is running - destroy failed");
    assert.equal((await post("suspend")).exit, "OK");
    assert.equal((await asker.record(`GET ${vm}/status/current`)).qmpstatus, "paused");
    assert.equal(await refused("shutdown"), "VM is paused - cannot shutdown");
    assert.equal((await post("resume")).exit, "OK");
    assert.equal((await post("reset")).exit, "OK");
    const shutdown = await post("shutdown", { timeout: "2" });
    assert.equal(shutdown.exit, "VM quit/powerdown failed - got timeout");
    assert.match(shutdown.log[0] ?? "", /^QEMU Guest Agent is not running/);
    assert.equal((await post("shutdown", { timeout: "2", forceStop: "1" })).exit, "OK");
    assert.equal((await asker.record(`GET ${vm}/status/current`)).status, "stopped");
  });

  it("MUST shut down a guest that has an operating system", async () => {
    const asker = await withVm();
    for (const volume of asker.platform.state.volumes) volume.hasSystem = true;
    await asker.run(`POST ${vm}/status/start`);
    assert.equal((await asker.run(`POST ${vm}/status/shutdown`)).exit, "OK");
  });

  it("MUST not start templates or more processors than the node has", async () => {
    const asker = await withTemplate();
    assert.equal(
      (await asker.run("POST /nodes/pvea/qemu/9000/status/start")).exit,
      "you can't start a vm if it's a template",
    );
    await asker.makeVm(100, { cores: "5" });
    assert.equal((await asker.run(`POST ${vm}/status/start`)).exit, "MAX 4 vcpus allowed per VM on this node");
  });

  it("MUST suspend to disk and come back", async () => {
    const asker = await withVm();
    await asker.run(`POST ${vm}/status/start`);
    assert.equal((await asker.run(`POST ${vm}/status/suspend`, { todisk: "1" })).exit, "OK");
    const config = await asker.record(`GET ${vm}/config`);
    assert.equal(config.lock, "suspended");
    assert.equal((await asker.run(`POST ${vm}/status/start`)).exit, "OK");
    assert.equal((await asker.record(`GET ${vm}/config`)).lock, undefined);
  });

  it("MUST ask high availability for guests that it manages", async () => {
    const asker = await withVm();
    const guest = asker.platform.state.guests.get(100);
    assert.ok(guest);
    guest.hastate = "stopped";
    const { log } = await asker.run(`POST ${vm}/status/start`);
    assert.equal(log[0], "Requesting HA start for VM 100");
    assert.deepEqual((await asker.record(`GET ${vm}/status/current`)).ha, { managed: 1, state: "started" });
    assert.match((await asker.ask(`DELETE ${vm}`)).message ?? "", /used in HA resources/);
  });

  const launches: readonly { what: string; parameters: Record<string, string>; said: RegExp | null; exit: string }[] = [
    {
      what: "more memory than the node has",
      parameters: { memory: "999999" },
      said: /Cannot allocate memory/,
      exit: "start failed: QEMU exited with code 1",
    },
    {
      what: "more processors than its sockets and cores",
      parameters: { cores: "2", vcpus: "3" },
      said: /Invalid CPU topology/,
      exit: "start failed: QEMU exited with code 1",
    },
    {
      what: "a bridge that is not there",
      parameters: { net0: "virtio,bridge=vmbr9" },
      said: null,
      exit: "bridge 'vmbr9' does not exist",
    },
    {
      what: "an emulated card on such a bridge",
      parameters: { net0: "e1000,bridge=vmbr9" },
      said: /^kvm: -netdev .*network script .* failed/,
      exit: "start failed: QEMU exited with code 1",
    },
  ];
  for (const { what, parameters, said, exit } of launches) {
    it(`MUST NOT start a VM with ${what}`, async () => {
      const asker = await withVm(parameters);
      const started = await asker.run(`POST ${vm}/status/start`);
      assert.equal(started.exit, exit);
      assert.ok(said === null || started.log.some((line) => said.test(line)), started.log.join("\n"));
      assert.equal((await asker.record(`GET ${vm}/status/current`)).status, "stopped");
    });
  }
});
