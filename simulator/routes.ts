// Collects the routes of all areas into the one table that a platform answers from.
import { accessRoutes } from "./access/routes.js";
import { agentRoutes } from "./agent/routes.js";
import { backupRoutes } from "./backup/routes.js";
import { consoleRoutes } from "./console/routes.js";
import { indexRoutes } from "./inventory/indexes.js";
import { clusterFirewallRoutes } from "./firewall/routes.js";
import { inventoryRoutes } from "./inventory/routes.js";
import { lxcRoutes } from "./lxc/routes.js";
import { migrationRoutes } from "./migration/routes.js";
import { qemuRoutes } from "./qemu/routes.js";
import type { Route } from "./route.js";
import { taskRoutes } from "./tasks/routes.js";
import { unconfiguredRoutes } from "./unconfigured/routes.js";

export const routes: readonly Route[] = [
  ...accessRoutes,
  ...agentRoutes,
  ...backupRoutes,
  ...consoleRoutes,
  ...indexRoutes,
  ...clusterFirewallRoutes,
  ...inventoryRoutes,
  ...lxcRoutes,
  ...migrationRoutes,
  ...qemuRoutes,
  ...taskRoutes,
  ...unconfiguredRoutes,
];
