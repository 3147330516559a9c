// Says what the snapshot methods accept beside those of the parameter tables.
import { forBoth, guest } from "../parameters/common.js";
import type { PropertyTable } from "../parameters/propertyTable.js";

const feature = { type: "string", enum: ["snapshot", "clone", "copy"] };
const snapname = { type: "string", optional: 1, format: "pve-configid", maxLength: 40 };

export const snapshotTables: Record<string, PropertyTable> = forBoth({
  "GET /nodes/{node}/{type}/{vmid}/feature": { ...guest, feature, snapname },
});
