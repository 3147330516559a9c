// Settings of the installation.
import { defineEntity, p } from "@mikro-orm/core";

export const Setting = defineEntity({
  name: "Setting",
  tableName: "setting",
  properties: {
    /** There is one row. */
    oneRow: p.boolean().primary().default(true),
    ramWeight: p.double().default(0.5),
    cpuWeight: p.double().default(0.3),
    storageWeight: p.double().default(0.2),
    ramThresholdPercent: p.double().default(80),
    cpuThresholdPercent: p.double().default(85),
    maxSuggestions: p.integer().default(10),
    safetyCopyRetentionDays: p.integer().default(7),
    requestLogRetentionDays: p.integer().default(30),
    migrationBandwidthMib: p.integer().nullable(),
    addressHistoryRetentionDays: p.integer().default(365),
  },
});
