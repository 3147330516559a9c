// Checks how the marks of a guest are read from its configuration.
import assert from "node:assert/strict";
import { NO_MARKS } from "../../../../src/core/inventory/identity.js";
import { guestMarks } from "../../../../src/hypervisor/proxmox/config/marks.js";

describe("hypervisor/proxmox/config/marks", () => {
  it("reads the marks of a machine", () => {
    const config = {
      smbios1: "uuid=AB-CD,base64=1",
      meta: "creation-qemu=8.1.2,ctime=1700000000",
      vmgenid: "EF-01",
      name: "web1",
      net0: "virtio=BC:24:11:00:00:0a,bridge=vmbr0",
      net1: "model=e1000,macaddr=bc:24:11:00:00:0b,bridge=vmbr1",
    };
    assert.deepEqual(guestMarks("qemu", config), {
      uuid: "ab-cd",
      createdAt: 1_700_000_000,
      generation: "ef-01",
      cards: ["BC:24:11:00:00:0A", "BC:24:11:00:00:0B"],
      root: null,
      name: "web1",
    });
    assert.deepEqual(guestMarks("qemu", {}), NO_MARKS);
  });

  it("reads the marks of a container", () => {
    const config = {
      hostname: "box",
      rootfs: "local-lvm:vm-101-disk-0,size=4G",
      net0: "name=eth0,bridge=vmbr0,hwaddr=BC:24:11:00:00:0A,ip=dhcp,type=veth",
    };
    const marks = { cards: ["BC:24:11:00:00:0A"], root: "local-lvm:vm-101-disk-0", name: "box" };
    assert.deepEqual(guestMarks("lxc", config), { ...NO_MARKS, ...marks });
    assert.deepEqual(guestMarks("lxc", {}), NO_MARKS);
  });
});
