// Says what the methods that move and detach disks of VMs accept.
import { digest, flag, guest, optional, storage, vmid } from "../parameters/common.js";
import type { PropertyTable } from "../parameters/propertyTable.js";

const slots = [
  ["ide", 4],
  ["scsi", 31],
  ["virtio", 16],
  ["sata", 6],
  ["efidisk", 1],
  ["tpmstate", 1],
  ["unused", 256],
] as const;
const disk = {
  type: "string",
  enum: slots.flatMap(([bus, count]) => Array.from({ length: count }, (_, index) => `${bus}${index}`)),
};

export const diskTables: Record<string, PropertyTable> = {
  "POST /nodes/{node}/qemu/{vmid}/move_disk": {
    ...guest,
    "target-vmid": optional(vmid),
    disk,
    storage: optional(storage),
    format: { type: "string", optional: 1, enum: ["raw", "qcow2", "vmdk"] },
    delete: flag,
    digest,
    bwlimit: { type: "integer", optional: 1, minimum: 0 },
    "target-disk": optional(disk),
    "target-digest": digest,
  },
  "PUT /nodes/{node}/qemu/{vmid}/unlink": {
    ...guest,
    idlist: { type: "string", format: "pve-configid-list" },
    force: flag,
  },
};
