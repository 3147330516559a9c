// Checks what of a configuration speaks against a move, key by key.
import assert from "node:assert/strict";
import { configuredTraits } from "../../../../src/hypervisor/proxmox/config/traits.js";
import { PLAIN_TRAITS, type ConfiguredTraits } from "../../../../src/core/migration/guestTraits.js";

const traits = (type: "qemu" | "lxc", config: object): ConfiguredTraits => configuredTraits(type, { ...config });

const plainMachine = {
  name: "web1",
  memory: "2048",
  scsi0: "tank:vm-100-disk-0,size=32G",
  ide2: "tank:vm-100-cloudinit,media=cdrom",
  ide3: "none,media=cdrom",
  net0: "virtio=BC:24:11:00:00:01,bridge=vmbr0",
  serial0: "socket",
  usb0: "spice,usb3=1",
  usb1: "host=spice",
  agent: "1",
};
const plainContainer = {
  hostname: "ct1",
  rootfs: "tank:subvol-101-disk-0,size=8G",
  unprivileged: 1,
  features: "nesting=1",
  net0: "name=eth0,bridge=vmbr0,ip=dhcp",
};

const cases: [type: "qemu" | "lxc", config: object, trait: Partial<ConfiguredTraits>][] = [
  ["qemu", {}, {}],
  ["lxc", { unprivileged: 1 }, {}],
  ["qemu", { template: 1 }, { template: true }],
  ["qemu", { lock: "backup" }, { lock: "backup" }],
  ["qemu", { hostpci0: "0000:01:00.0,pcie=1" }, { pciDevices: ["hostpci0"] }],
  ["qemu", { hostpci1: "mapping=gpu1" }, { pciDevices: ["hostpci1"] }],
  ["qemu", { usb0: "host=046d:c52b" }, { usbDevices: ["usb0"] }],
  ["qemu", { usb2: "mapping=key1" }, { usbDevices: ["usb2"] }],
  ["qemu", { ide2: "local:iso/rescue.iso,media=cdrom" }, { mountedMedia: ["local:iso/rescue.iso"] }],
  ["qemu", { ide2: "cdrom,media=cdrom" }, { mountedMedia: ["cdrom"] }],
  ["qemu", { scsi1: "/dev/sdb,size=1T" }, { hostPaths: ["/dev/sdb"] }],
  ["qemu", { scsi1: "tank:base-9-disk-0/vm-1-disk-0" }, { linkedClones: ["tank:base-9-disk-0/vm-1-disk-0"] }],
  ["qemu", { args: "-cpu host" }, { rootOnlySettings: ["args"] }],
  ["qemu", { cpu: "custom-avx,flags=+aes" }, { customCpu: "custom-avx" }],
  ["qemu", { cpu: "cputype=host" }, {}],
  ["qemu", { hookscript: "local:snippets/x" }, { rootOnlySettings: ["hookscript"] }],
  ["qemu", { serial1: "/dev/ttyS0" }, { rootOnlySettings: ["serial1"] }],
  ["qemu", { parallel0: "/dev/lp0", virtiofs0: "share" }, { rootOnlySettings: ["parallel0", "virtiofs0"] }],
  ["lxc", { unprivileged: 1, dev0: "/dev/ttyUSB0" }, { containerDevices: ["dev0"] }],
  ["lxc", { unprivileged: 1, lxc: "lxc.cap.drop: " }, { rawLxcKeys: ["lxc.cap.drop"] }],
  ["lxc", { unprivileged: 1, mp0: "/mnt/share,mp=/share" }, { hostPaths: ["/mnt/share"] }],
  ["lxc", { unprivileged: 1, features: "keyctl=1,nesting=1" }, { rootOnlySettings: ["features: keyctl"] }],
  ["lxc", { unprivileged: 1, features: "fuse=0" }, { rootOnlySettings: ["features: fuse"] }],
  ["lxc", { features: "nesting=1" }, { rootOnlySettings: ["features: nesting"] }],
];

describe("hypervisor/proxmox/config/traits", () => {
  it("finds nothing against plain guests", () => {
    assert.deepEqual(traits("qemu", plainMachine), PLAIN_TRAITS);
    assert.deepEqual(traits("lxc", plainContainer), PLAIN_TRAITS);
  });

  for (const [type, config, trait] of cases) {
    it(`${type} ${JSON.stringify(config)}: ${JSON.stringify(trait)}`, () => {
      assert.deepEqual(traits(type, config), { ...PLAIN_TRAITS, ...trait });
    });
  }
});
