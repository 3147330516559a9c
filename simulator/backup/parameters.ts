// Says what the backup methods accept.
import { digest, flag, node, optional, storage, text } from "../parameters/common.js";
import type { PropertyTable } from "../parameters/propertyTable.js";

const integer = { type: "integer", optional: 1, minimum: 0 };
const id = { type: "string", format: "pve-configid", maxLength: 50 };

/** What a single backup and a job have in common. */
const options: PropertyTable = {
  vmid: { ...text, format: "pve-vmid-list" },
  all: flag,
  stdexcludes: flag,
  compress: { ...text, enum: ["0", "1", "gzip", "lzo", "zstd"] },
  pigz: { type: "integer", optional: 1 },
  zstd: { type: "integer", optional: 1 },
  quiet: flag,
  mode: { ...text, enum: ["snapshot", "suspend", "stop"] },
  exclude: { ...text, format: "pve-vmid-list" },
  "exclude-path": text,
  mailto: text,
  mailnotification: { ...text, enum: ["always", "failure"] },
  "notification-mode": { ...text, enum: ["auto", "legacy-sendmail", "notification-system"] },
  tmpdir: text,
  dumpdir: text,
  script: text,
  storage: optional(storage),
  stop: flag,
  bwlimit: integer,
  ionice: { ...integer, maximum: 8 },
  performance: text,
  lockwait: integer,
  stopwait: integer,
  "prune-backups": { ...text, format: "prune-backups" },
  remove: flag,
  pool: text,
  "notes-template": { ...text, maxLength: 1024, requires: "storage" },
  protected: { ...flag, requires: "storage" },
  fleecing: text,
  "pbs-change-detection-mode": { ...text, enum: ["legacy", "data", "metadata"] },
};
const jobOptions: PropertyTable = {
  ...options,
  node: optional(node),
  schedule: { ...text, maxLength: 128 },
  starttime: { ...text, pattern: "\\d{1,2}:\\d{1,2}" },
  dow: text,
  enabled: flag,
  "repeat-missed": flag,
  comment: { ...text, maxLength: 512 },
};

export const backupTables: Record<string, PropertyTable> = {
  "POST /nodes/{node}/vzdump": { ...options, node, stdout: flag, "job-id": optional(id) },
  "GET /nodes/{node}/vzdump/defaults": { node, storage: optional(storage) },
  "GET /nodes/{node}/vzdump/extractconfig": { node, volume: { type: "string" } },
  "GET /cluster/backup": {},
  "POST /cluster/backup": { ...jobOptions, id: optional(id) },
  "GET /cluster/backup/{id}": { id },
  "PUT /cluster/backup/{id}": { ...jobOptions, id, delete: text, digest },
  "DELETE /cluster/backup/{id}": { id },
  "GET /cluster/backup/{id}/included_volumes": { id },
  "GET /cluster/backup-info": {},
  "GET /cluster/backup-info/not-backed-up": {},
};
