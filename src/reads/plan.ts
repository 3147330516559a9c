// Reads plans.
import { column, visibleToAll, type ReadModel } from "./model.js";

export const plans: ReadModel = {
  type: "Plan",
  from: (row) => `plan ${row}`,
  visible: visibleToAll,
  fields: {
    id: column("id"),
    name: column("name"),
    cores: column("cores"),
    memoryMb: column("memory_mb"),
    diskGb: column("disk_gb"),
    trafficGb: column("traffic_gb"),
    runtimeDays: column("runtime_days"),
    active: column("active"),
  },
};
