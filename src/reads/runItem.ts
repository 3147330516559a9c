// Reads the guests of runs.
import { column, one, visibleToAll, type ReadModel } from "./model.js";
import { migrations } from "./migration.js";

/** Reached through a run, which decides who sees it. */
export const runItems: ReadModel = {
  type: "RunItem",
  from: (row) => `run_item ${row}`,
  visible: visibleToAll,
  fields: {
    id: column("id"),
    guestId: column("guest_id"),
    guestName: column("guest_name"),
    vmid: column("vmid"),
    status: column("status"),
    reason: column("reason"),
    migration: one(
      () => migrations,
      (row, child) => `${child}.id = ${row}.migration_id`,
    ),
    toHostId: column("to_host_id"),
    toNode: column("to_node"),
  },
};
