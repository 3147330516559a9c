// Reads QEMU templates that virtual machines are cloned from.
import { column, expression, gibSql, type ReadModel } from "./model.js";
import { visibleNode } from "./visibility.js";

export const osTemplates: ReadModel = {
  type: "OsTemplate",
  from: (row) => `os_template ${row} join node ${row}_node on ${row}_node.id = ${row}.node_id`,
  visible: (row, viewer, bind) => visibleNode(`${row}_node`, viewer, bind),
  fields: {
    id: column("id"),
    ref: expression((row) => `'tpl:' || ${row}.id`),
    hostId: column("host_id"),
    node: expression((row) => `${row}_node.name`),
    vmid: column("vmid"),
    name: column("name"),
    minDiskGb: expression((row) => gibSql(`${row}.min_disk_bytes`)),
    active: column("active"),
  },
};
