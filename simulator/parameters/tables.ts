// Collects the parameter tables of the methods that have their own folder.
import { agentTables } from "../agent/parameters.js";
import { backupTables } from "../backup/parameters.js";
import { consoleTables } from "../console/parameters.js";
import { diskTables } from "../qemu/diskParameters.js";
import { definitionTables } from "../storage/definitionParameters.js";
import { snapshotTables } from "../snapshots/parameters.js";
import type { PropertyTable } from "./propertyTable.js";

export const subjectTables: Readonly<Record<string, PropertyTable>> = {
  ...agentTables,
  ...backupTables,
  ...consoleTables,
  ...definitionTables,
  ...diskTables,
  ...snapshotTables,
};
