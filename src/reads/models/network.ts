// Reads bridges and other networks: one row for each node that has it.
import { column, expression, type ReadModel } from "../engine/model.js";
import { visibleNode } from "./visibility.js";

export const networks: ReadModel = {
  type: "Network",
  from: (row) => `network ${row} join node ${row}_node on ${row}_node.id = ${row}.node_id`,
  visible: (row, viewer, bind) => visibleNode(`${row}_node`, viewer, bind),
  fields: {
    name: column("name"),
    node: expression((row) => `${row}_node.name`),
    type: column("type"),
    active: column("active"),
    cidr: column("cidr"),
  },
};
