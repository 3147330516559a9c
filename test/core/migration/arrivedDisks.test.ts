// Compares disks of guests with what arrived of them: each difference is found, and nothing else.
import assert from "node:assert/strict";
import { guestDisks } from "../../../src/hypervisor/proxmox/config/disks.js";
import { diskDifferences } from "../../../src/core/migration/arrivedDisks.js";

const config = {
  scsi0: "local:100/vm-100-disk-0.qcow2,size=32G",
  scsi1: "local:100/vm-100-disk-1.raw,size=8G",
  ide2: "local:100/vm-100-cloudinit.qcow2,media=cdrom,size=4M",
  ide3: "none,media=cdrom",
  efidisk0: "local:100/vm-100-disk-2.raw,size=528K",
  unused0: "local:100/vm-100-disk-3.raw",
};
const arrived = {
  scsi0: "tank:vm-200-disk-0,size=32G",
  scsi1: "tank:vm-200-disk-1,format=raw,size=8G",
  ide2: "tank:vm-200-cloudinit,media=cdrom",
  efidisk0: "tank:vm-200-disk-2,size=4M",
  unused0: "tank:vm-200-disk-3",
};

const differences = (change: Record<string, string | undefined>) => {
  const now = Object.entries({ ...arrived, ...change }).filter(([, value]) => value !== undefined);
  return diskDifferences(guestDisks("qemu", config), guestDisks("qemu", Object.fromEntries(now)));
};
const texts = (change: Record<string, string | undefined>) => differences(change).map(({ text }) => text);

describe("core/migration/arrivedDisks", () => {
  it("finds nothing where every disk is what it was, under other names and on other storages", () => {
    assert.deepEqual(differences({}), []);
  });

  it("finds what is missing, something else, or of another size", () => {
    assert.deepEqual(texts({ scsi1: undefined }), ["scsi1 is missing, which was a disk"]);
    assert.deepEqual(texts({ scsi0: "tank:vm-200-disk-0,size=31G" }), [
      "scsi0 had 34359738368 bytes and has 33285996544",
    ]);
    assert.deepEqual(texts({ scsi0: "none,media=cdrom" }), ["scsi0 was a disk and is a CD drive with none"]);
    assert.deepEqual(texts({ unused0: undefined }), ["unused0 is missing, which was an unused disk"]);
  });

  it("does not judge sizes that are not stated, and those of what the platform sizes itself", () => {
    assert.deepEqual(texts({ scsi0: "tank:vm-200-disk-0" }), []);
    assert.deepEqual(texts({ ide2: "tank:vm-200-cloudinit,media=cdrom,size=8M" }), []);
  });

  it("reports of a cloud-init drive that became a CD drive which drive that is now", () => {
    const [lost, ...others] = differences({ ide2: "tank:vm-200-disk-4,media=cdrom" });
    assert.equal(lost?.text, "ide2 was a cloud-init drive and is a CD drive with tank:vm-200-disk-4");
    assert.equal(lost?.lostCloudInit?.volume, "tank:vm-200-disk-4");
    assert.deepEqual(others, []);
    assert.equal(differences({ ide2: "none,media=cdrom" })[0]?.lostCloudInit, null);
    assert.equal(differences({ ide2: undefined })[0]?.lostCloudInit, null);
  });

  it("compares the volumes of containers alike", () => {
    const before = guestDisks("lxc", {
      rootfs: "local:101/vm-101-disk-0.raw,size=4G",
      mp0: "tank:subvol-101-disk-1,mp=/a,size=2G",
    });
    const after = guestDisks("lxc", { rootfs: "tank:subvol-201-disk-0,size=4G" });
    assert.deepEqual(
      diskDifferences(before, after).map(({ text }) => text),
      ["mp0 is missing, which was a disk"],
    );
  });
});
