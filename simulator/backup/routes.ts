// Lists the backup endpoints and what they require.
import { anyone, privileges, superuserOnly } from "../access/requirement.js";
import type { Route } from "../route.js";
import { answer } from "../route.js";
import { extractConfig } from "./configFile.js";
import { backupDefaults } from "./defaults.js";
import {
  createBackupJob,
  deleteBackupJob,
  includedVolumes,
  listBackupJobs,
  notBackedUp,
  readBackupJob,
  updateBackupJob,
} from "./jobs.js";
import { startBackup } from "./vzdump.js";

const node = "/nodes/{node}";
const jobs = "/cluster/backup";
const audits = privileges("/", ["Sys.Audit"]);
const modifies = privileges("/", ["Sys.Modify"]);

export const backupRoutes: Route[] = [
  { method: "POST", path: `${node}/vzdump`, requires: anyone, handle: startBackup },
  { method: "GET", path: `${node}/vzdump/defaults`, requires: anyone, handle: backupDefaults },
  { method: "GET", path: `${node}/vzdump/extractconfig`, requires: anyone, handle: extractConfig },
  { method: "GET", path: jobs, requires: audits, handle: listBackupJobs },
  { method: "POST", path: jobs, requires: modifies, handle: createBackupJob },
  { method: "GET", path: `${jobs}/{id}`, requires: audits, handle: readBackupJob },
  { method: "PUT", path: `${jobs}/{id}`, requires: modifies, handle: updateBackupJob },
  { method: "DELETE", path: `${jobs}/{id}`, requires: modifies, handle: deleteBackupJob },
  { method: "GET", path: `${jobs}/{id}/included_volumes`, requires: anyone, handle: includedVolumes },
  {
    method: "GET",
    path: "/cluster/backup-info",
    requires: superuserOnly,
    handle: () => answer([{ subdir: "not-backed-up" }]),
  },
  { method: "GET", path: "/cluster/backup-info/not-backed-up", requires: audits, handle: notBackedUp },
];
