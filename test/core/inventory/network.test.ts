// Checks how network interfaces and static addresses are read.
import assert from "node:assert/strict";
import { guestInterfaces, staticAddresses } from "../../../src/core/inventory/network.js";

describe("core/inventory/network", () => {
  const interfaces: [text: string, mac: string | null, bridge: string | null, vlan: number | null][] = [
    ["virtio=bc:24:11:00:00:01,bridge=vmbr0,tag=20", "BC:24:11:00:00:01", "vmbr0", 20],
    ["model=e1000,macaddr=BC:24:11:00:00:02,bridge=vmbr1", "BC:24:11:00:00:02", "vmbr1", null],
    ["name=eth0,bridge=vmbr0,hwaddr=BC:24:11:00:00:03,ip=dhcp,type=veth", "BC:24:11:00:00:03", "vmbr0", null],
    ["virtio", null, null, null],
  ];
  for (const [text, mac, bridge, vlan] of interfaces) {
    it(`reads ${text}`, () => {
      assert.deepEqual(guestInterfaces({ net3: text }), [{ index: 3, text, mac, bridge, vlan }]);
    });
  }

  it("reads a virtual machine's addresses from ipconfigN", () => {
    const config = {
      net0: "virtio=BC:24:11:00:00:01,bridge=vmbr0",
      ipconfig0: "ip=10.0.0.5/24,gw=10.0.0.1,ip6=2001:DB8:0:0::5/64,gw6=2001:db8::1",
      ipconfig1: "ip=dhcp,ip6=auto",
    };
    assert.deepEqual(staticAddresses("qemu", config), [
      { index: 0, address: "10.0.0.5", prefixLength: 24, family: 4, gateway: "10.0.0.1" },
      { index: 0, address: "2001:db8::5", prefixLength: 64, family: 6, gateway: "2001:db8::1" },
    ]);
  });

  it("reads a container's addresses from netN", () => {
    const config = {
      net0: "name=eth0,bridge=vmbr0,ip=10.0.0.6/24",
      net1: "name=eth1,ip=manual",
      ipconfig0: "ip=9.9.9.9/8",
    };
    assert.deepEqual(staticAddresses("lxc", config), [
      { index: 0, address: "10.0.0.6", prefixLength: 24, family: 4, gateway: null },
    ]);
  });

  for (const ip of ["dhcp", "auto", "manual", "10.0.0.5", "10.0.0.5/33", ""]) {
    it(`finds no static address in ip=${ip}`, () => assert.deepEqual(staticAddresses("lxc", { net0: `ip=${ip}` }), []));
  }
});
