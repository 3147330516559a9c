// Checks how drive entries are read: kind, storage and size.
import assert from "node:assert/strict";
import { dataDisks, knownBytes, unsizedKeys } from "../../../../src/core/inventory/disk.js";
import { guestDisks, isLinkedClone, isOwnDisk } from "../../../../src/hypervisor/proxmox/config/disks.js";
import { GIB, MIB } from "../../../../src/core/units.js";

const machine = {
  scsihw: "virtio-scsi-single",
  boot: "order=scsi0",
  scsi0: "local-lvm:vm-100-disk-0,iothread=1,size=32G",
  scsi10: "tank:vm-100-disk-2,size=1.5T",
  virtio1: "file=nfs:100/vm-100-disk-1.qcow2,size=8G",
  ide0: "local:iso/rescue.iso,media=cdrom,size=1G",
  ide1: "none,media=cdrom",
  ide2: "local-lvm:vm-100-cloudinit,media=cdrom,size=4M",
  sata0: "cdrom,media=cdrom",
  sata1: "/dev/disk/by-id/ata-X,size=100G",
  efidisk0: "local-lvm:vm-100-disk-3,efitype=4m,size=528K",
  tpmstate0: "local-lvm:vm-100-disk-4,size=4M,version=v2.0",
  unused0: "local-lvm:vm-100-disk-9",
};

const container = {
  rootfs: "local-lvm:vm-101-disk-0,size=8G",
  mp0: "tank:subvol-101-disk-1,mp=/data,size=2G",
  mp1: "/mnt/share,mp=/share",
  mp2: "/dev/sdb1,mp=/disk,size=5G",
  unused0: "local-lvm:vm-101-disk-2",
  net0: "name=eth0,bridge=vmbr0",
};

const brief = (disks: ReturnType<typeof guestDisks>) =>
  disks.map(({ key, kind, storage, bytes }) => [key, kind, storage, bytes]);

describe("hypervisor/proxmox/config/disks", () => {
  it("reads every drive of a virtual machine", () => {
    assert.deepEqual(brief(guestDisks("qemu", machine)), [
      ["efidisk0", "efi", "local-lvm", 528 * 1024],
      ["ide0", "cdrom", "local", GIB],
      ["ide1", "cdrom", null, null],
      ["ide2", "cloud_init", "local-lvm", 4_194_304],
      ["sata0", "cdrom", null, null],
      ["sata1", "host_path", null, 100 * GIB],
      ["scsi0", "data", "local-lvm", 32 * GIB],
      ["scsi10", "data", "tank", 1536 * GIB],
      ["tpmstate0", "tpm", "local-lvm", 4_194_304],
      ["unused0", "unused", "local-lvm", null],
      ["virtio1", "data", "nfs", 8 * GIB],
    ]);
  });

  it("reads every mount point of a container", () => {
    assert.deepEqual(brief(guestDisks("lxc", container)), [
      ["mp0", "data", "tank", 2 * GIB],
      ["mp1", "host_path", null, null],
      ["mp2", "host_path", null, 5 * GIB],
      ["rootfs", "data", "local-lvm", 8 * GIB],
      ["unused0", "unused", "local-lvm", null],
    ]);
  });

  it("adds up data disks only", () => {
    assert.equal(knownBytes(dataDisks(guestDisks("qemu", machine))), (32 + 1536 + 8) * GIB);
    assert.equal(knownBytes(dataDisks(guestDisks("lxc", container))), 10 * GIB);
    assert.equal(knownBytes([]), 0);
  });

  it("have no size that no line states, nor that of a directory without a limit", () => {
    const [withoutSize, withoutLimit] = guestDisks("lxc", {
      rootfs: "local-lvm:vm-100-disk-0",
      mp0: "local:100/subvol-100-disk-1.subvol,mp=/data,size=0T",
    });
    assert.equal(withoutSize?.bytes, null);
    assert.equal(withoutLimit?.bytes, null);
  });

  it("names the drives that nothing states the size of, but not those that the platform makes small", () => {
    const disks = guestDisks("qemu", {
      scsi0: "local-lvm:vm-100-disk-0",
      scsi1: "local-lvm:vm-100-disk-1,size=8G",
      efidisk0: "local-lvm:vm-100-disk-2,efitype=4m",
      tpmstate0: "local-lvm:vm-100-disk-3,version=v2.0",
      ide2: "local-lvm:vm-100-cloudinit,media=cdrom",
      unused0: "local-lvm:vm-100-disk-4",
    });
    assert.deepEqual(unsizedKeys(disks), ["scsi0", "unused0"]);
    assert.equal(knownBytes(disks), 8 * GIB + 72 * MIB);
  });

  for (const [volume, linked] of [
    ["local-lvm:vm-100-disk-0", false],
    ["local-lvm:base-9000-disk-0", false],
    ["tank:base-9000-disk-0/vm-100-disk-0", true],
    ["nfs:9000/base-9000-disk-0.qcow2/100/vm-100-disk-0.qcow2", true],
    ["tank:basevol-9000-disk-0/subvol-100-disk-0", true],
  ] as const) {
    it(`${volume} is ${linked ? "" : "not "}a linked clone`, () => {
      const [disk] = guestDisks("qemu", { scsi0: volume });
      assert.equal(disk && isLinkedClone(disk), linked);
    });
  }

  it("distinguishes a guest's own disk from a medium and from another guest's", () => {
    const volumes = [
      "local:123/vm-123-disk-1.qcow2",
      "tank:vm-123-disk-1",
      "local:iso/vm-123-disk-1.iso.txt",
      "local:iso/a.iso",
      "tank:vm-1234-disk-1",
      "tank:vm-123-cloudinit",
    ];
    assert.deepEqual(
      volumes.map((volume) => isOwnDisk(volume, 123)),
      [true, true, false, false, false, false],
    );
  });
});
