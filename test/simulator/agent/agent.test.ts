// Tests the calls to a VM's guest agent: none configured, none that answers, and one that does.
import assert from "node:assert/strict";
import { Asker, standalone } from "../asking.js";

const agent = "/nodes/pvea/qemu/100/agent";

async function withVm(settings: Record<string, string>, hasSystem: boolean): Promise<Asker> {
  const asker = new Asker(standalone());
  await asker.makeVm(100, settings);
  for (const volume of asker.platform.state.volumes) if (volume.vmid === 100) volume.hasSystem = hasSystem;
  await asker.run("POST /nodes/pvea/qemu/100/status/start");
  return asker;
}

describe("simulator: guest agents", () => {
  it("MUST report at once that none is configured, also when it is switched off", async () => {
    const options: Record<string, string>[] = [{}, { agent: "0" }];
    for (const settings of options) {
      const asker = await withVm(settings, true);
      assert.equal((await asker.ask(`POST ${agent}/ping`)).message, "No QEMU guest agent configured");
    }
  });

  it("MUST report of every call that none answers when no system runs inside", async () => {
    const asker = await withVm({ agent: "1" }, false);
    const password = { username: "root", password: "S3cret-pw" };
    for (const reply of [
      await asker.ask(`GET ${agent}/get-osinfo`),
      await asker.ask(`POST ${agent}/set-user-password`, password),
      await asker.ask(`POST ${agent}/exec`, { command: ["id", "-u"] }),
    ])
      assert.deepEqual(reply, { status: 500, message: "QEMU guest agent is not running" });
    const short = await asker.ask(`POST ${agent}/set-user-password`, { ...password, password: "x" });
    assert.deepEqual(short.errors, { password: "value must be at least 5 characters long" });
  });

  it("MUST answer for the system that runs inside", async () => {
    const asker = await withVm({ agent: "1" }, true);
    assert.deepEqual(await asker.data(`POST ${agent}/ping`), { result: {} });
    assert.deepEqual(await asker.data(`GET ${agent}/get-host-name`), { result: { "host-name": "vm100" } });
    assert.equal((await asker.ask(`GET ${agent}/ping`)).status, 501);
  });
});
