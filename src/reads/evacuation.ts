// Reads evacuations.
import { column, type ReadModel } from "./model.js";
import { runFields } from "./run.js";
import { visibleHost } from "./visibility.js";

export const evacuations: ReadModel = {
  type: "Evacuation",
  key: "id",
  from: (row) => `run ${row}`,
  visible(row, viewer, bind) {
    const host = visibleHost(`${row}.host_id`, viewer, bind);
    return [`${row}.kind = 'evacuation'`, ...(host === null ? [] : [host])].join(" and ");
  },
  fields: {
    ...runFields,
    hostId: column("host_id"),
    node: column("node"),
    targetHostId: column("target_host_id"),
    targetNode: column("target_node"),
  },
};
