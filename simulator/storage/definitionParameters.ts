// Says what the methods for the definitions of storages accept.
import { digest, flag, storage, text } from "../parameters/common.js";
import type { PropertyTable } from "../parameters/propertyTable.js";

const types = "btrfs cephfs cifs dir esxi iscsi iscsidirect lvm lvmthin nfs pbs rbd zfs zfspool".split(" ");
const contents = { type: "string", optional: 1, format: "pve-storage-content-list" };

/** What can be changed later. */
const changeable: PropertyTable = {
  content: contents,
  nodes: { ...text, format: "pve-node-list" },
  disable: flag,
  shared: flag,
  "prune-backups": { ...text, format: "prune-backups" },
  bwlimit: text,
  preallocation: { ...text, enum: ["off", "metadata", "falloc", "full"] },
  mkdir: flag,
  "create-base-path": flag,
  "create-subdirs": flag,
  "content-dirs": text,
  is_mountpoint: text,
  sparse: flag,
  username: text,
  password: { ...text, maxLength: 256 },
  domain: { ...text, maxLength: 256 },
  options: text,
  subdir: text,
  "max-protected-backups": { type: "integer", optional: 1, minimum: -1 },
};
/** What only a new definition takes. */
const fixed: PropertyTable = {
  path: { ...text, format: "pve-storage-path" },
  server: { ...text, format: "pve-storage-server" },
  export: { ...text, format: "pve-storage-path" },
  share: text,
  vgname: { ...text, format: "pve-storage-vgname" },
  thinpool: { ...text, format: "pve-storage-vgname" },
  pool: text,
  datastore: text,
};

export const definitionTables: Record<string, PropertyTable> = {
  "GET /storage": { type: { type: "string", optional: 1, enum: types } },
  "GET /storage/{storage}": { storage },
  "POST /storage": { storage, type: { type: "string", enum: types }, ...fixed, ...changeable },
  "PUT /storage/{storage}": { storage, ...changeable, delete: { ...text, maxLength: 4096 }, digest },
  "DELETE /storage/{storage}": { storage: { ...storage } },
  "GET /nodes/{node}/storage/{storage}/rrddata": {
    node: { type: "string", format: "pve-node" },
    storage,
    timeframe: { type: "string", enum: ["hour", "day", "week", "month", "year"] },
    cf: { ...text, enum: ["AVERAGE", "MAX"] },
  },
};
