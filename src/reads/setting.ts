// Reads the service's settings: one record.
import { column, visibleToAll, type ReadModel } from "./model.js";

export const settings: ReadModel = {
  type: "Settings",
  from: (row) => `setting ${row}`,
  visible: visibleToAll,
  fields: {
    ramWeight: column("ram_weight"),
    cpuWeight: column("cpu_weight"),
    storageWeight: column("storage_weight"),
    ramThresholdPercent: column("ram_threshold_percent"),
    cpuThresholdPercent: column("cpu_threshold_percent"),
    maxSuggestions: column("max_suggestions"),
    safetyCopyRetentionDays: column("safety_copy_retention_days"),
    requestLogRetentionDays: column("request_log_retention_days"),
    addressHistoryRetentionDays: column("address_history_retention_days"),
    migrationBandwidthMib: column("migration_bandwidth_mib"),
  },
};
