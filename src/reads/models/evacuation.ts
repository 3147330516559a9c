// Reads evacuations.
import { column, expression, type Column, type ReadModel } from "../engine/model.js";
import { runFields } from "./run.js";
import { ofVisibleHost, visibleHost } from "./visibility.js";

const ofTarget = (name: string): Column =>
  expression((row, bind, viewer) => ofVisibleHost(`${row}.${name}`, `${row}.target_host_id`, viewer, bind));

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
    targetHostId: ofTarget("target_host_id"),
    targetNode: ofTarget("target_node"),
  },
};
