// Reads storages: one row for each node that sees the storage.
import { column, expression, type ReadModel } from "../engine/model.js";
import { visibleNode } from "./visibility.js";

export const storages: ReadModel = {
  type: "Storage",
  from: (row) => `storage ${row} join node ${row}_node on ${row}_node.id = ${row}.node_id`,
  visible: (row, viewer, bind) => visibleNode(`${row}_node`, viewer, bind),
  fields: {
    name: column("name"),
    node: expression((row) => `${row}_node.name`),
    type: column("type"),
    content: column("content"),
    shared: column("shared"),
    active: column("active"),
    totalBytes: column("total_bytes"),
    usedBytes: column("used_bytes"),
    freeBytes: column("free_bytes"),
    roomKnown: column("room_known"),
  },
};
