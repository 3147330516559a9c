// What a node tells about its bridges, volumes and last hour.
import assert from "node:assert/strict";
import { PlatformReason } from "../../../src/hypervisor/platformError.js";
import { Cleanup, scripted } from "../support/driver.js";
import { refusal } from "../support/rejection.js";

describe("hypervisor/proxmox/node", () => {
  const cleanup = new Cleanup();
  afterEach(() => cleanup.run());

  it("reads bridges with their address in either form", async () => {
    const { host, driver } = await scripted(cleanup, () => ({
      data: [
        { iface: "vmbr0", type: "bridge", active: 1, cidr: "10.0.0.1/24", address: "10.0.0.1", netmask: "24" },
        { iface: "vmbr1", type: "OVSBridge", active: "1", address: "10.1.0.1", netmask: 16, mtu: "9000" },
        { iface: "vnet7", type: "vnet" },
      ],
    }));
    assert.deepEqual(await driver.networks("pve1"), [
      { name: "vmbr0", type: "bridge", active: true, cidr: "10.0.0.1/24", mtu: null, vlanAware: false },
      { name: "vmbr1", type: "OVSBridge", active: true, cidr: "10.1.0.1/16", mtu: 9000, vlanAware: false },
      { name: "vnet7", type: "vnet", active: false, cidr: null, mtu: null, vlanAware: false },
    ]);
    assert.deepEqual(host.arrivals[0]?.query, { type: "any_bridge" });
  });

  it("takes only bridges from a list of every interface, each once", async () => {
    const types = ["eth", "bridge", "bond", "OVSPort", "vlan", "vnet", "alias", "OVSBridge"];
    const list = types.map((type, index) => ({ iface: `if${index}`, type, active: 1 }));
    const { driver } = await scripted(cleanup, () => ({ data: [...list, ...list] }));
    assert.deepEqual(
      (await driver.networks("pve1")).map(({ type }) => type),
      ["bridge", "vnet", "OVSBridge"],
    );
  });

  it("takes only the volumes that were asked for, each once", async () => {
    const template = { volid: "local:vztmpl/debian.tar.zst", content: "vztmpl", size: 1.5 };
    const { driver } = await scripted(cleanup, () => ({
      data: [template, { volid: "local:iso/rescue.iso", content: "iso", size: 2 }, template],
    }));
    assert.deepEqual(
      (await driver.volumes("pve1", "local", "vztmpl")).map(({ volid, sizeBytes }) => [volid, sizeBytes]),
      [["local:vztmpl/debian.tar.zst", 2]],
    );
  });

  it("reads volumes of every size, known, approximate or unknown", async () => {
    const volume = { content: "images", format: "raw" };
    const { driver } = await scripted(cleanup, () => ({
      data: [
        { ...volume, volid: "a:vm-100-disk-0", size: 1024, vmid: "100", parent: null },
        { ...volume, volid: "a:x", size: "2048" },
        { ...volume, volid: "a:y", "approximate-size": 4096, format: undefined },
        { ...volume, volid: "a:z" },
        { ...volume, volid: "a:unlimited", size: 0 },
      ],
    }));
    assert.deepEqual(
      (await driver.volumes("pve1", "a")).map(({ volid, sizeBytes, vmid, format }) => [volid, sizeBytes, vmid, format]),
      [
        ["a:vm-100-disk-0", 1024, 100, "raw"],
        ["a:x", 2048, null, "raw"],
        ["a:y", 4096, null, null],
        ["a:z", null, null, "raw"],
        ["a:unlimited", null, null, "raw"],
      ],
    );
  });

  it("leaves out minutes without figures", async () => {
    const { driver } = await scripted(cleanup, () => ({
      data: [
        { time: 1730000040, cpu: 0.25, memused: 1000, maxcpu: 16 },
        { time: 1730000100, maxcpu: 16 },
        { time: "1730000160", cpu: "1.5e-3", memused: "2000" },
        { time: 1730000220, cpu: null, memused: 1000 },
      ],
    }));
    assert.deepEqual(await driver.nodeHistory("pve1"), [
      { at: 1730000040_000, cpuUsage: 0.25, memoryUsedBytes: 1000 },
      { at: 1730000160_000, cpuUsage: 0.0015, memoryUsedBytes: 2000 },
    ]);
  });

  it("does not take anything else for a history", async () => {
    for (const data of [{}, "none", [null], [[1730000040, 0.25]]]) {
      const { driver } = await scripted(cleanup, () => ({ data }));
      await refusal(driver.nodeHistory("pve1"), PlatformReason.UNINTELLIGIBLE, /rrddata makes no sense/);
    }
    const { driver } = await scripted(cleanup, () => ({ data: null }));
    assert.deepEqual(await driver.nodeHistory("pve1"), []);
  });

  it("names the place of what it does not understand, never the value", async () => {
    const { driver } = await scripted(cleanup, () => ({ data: [{ iface: { secret: "value" }, type: "bridge" }] }));
    const message = await refusal(
      driver.networks("pve1"),
      PlatformReason.UNINTELLIGIBLE,
      /network makes no sense: 0\.iface/,
    );
    assert.ok(!message.includes("secret"));
  });
});
