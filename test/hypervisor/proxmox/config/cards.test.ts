// Checks how network cards and static addresses are read.
import assert from "node:assert/strict";
import type { Card } from "../../../../src/core/inventory/card.js";
import { guestCards, staticAddresses } from "../../../../src/hypervisor/proxmox/config/cards.js";

describe("hypervisor/proxmox/config/cards", () => {
  const card = { key: "net3", index: 3, bridge: "vmbr0", vlan: null, hasTrunks: false, mtu: null, isFiltered: false };
  const cards: [text: string, expected: Partial<Card>][] = [
    ["virtio=bc:24:11:00:00:01,bridge=vmbr0,tag=20", { vlan: 20 }],
    ["model=e1000,macaddr=BC:24:11:00:00:02,bridge=vmbr1", { bridge: "vmbr1" }],
    ["name=eth0,bridge=vmbr0,hwaddr=BC:24:11:00:00:03,ip=dhcp,type=veth", {}],
    ["virtio,bridge=vmbr0,trunks=2;4", { hasTrunks: true }],
    ["virtio,bridge=vmbr0,mtu=9000,firewall=1", { mtu: 9000, isFiltered: true }],
    ["virtio,bridge=vmbr0,mtu=1,firewall=0", {}],
    ["virtio", { bridge: null }],
  ];
  for (const [text, expected] of cards) {
    it(`reads ${text}`, () => {
      assert.deepEqual(guestCards({ net3: text }), [{ ...card, ...expected }]);
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
