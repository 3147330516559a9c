// Reads port forwards.
import { UserRole } from "../../core/enums.js";
import { column, expression, type ReadModel } from "../engine/model.js";
import { visibleNode } from "./visibility.js";

export const portForwards: ReadModel = {
  type: "PortForward",
  from: (row) => `port_forward ${row} join node ${row}_node on ${row}_node.id = ${row}.node_id`,
  // Reached through a guest, which decides who sees it; customers see the forwards of their own guests.
  visible: (row, viewer, bind) =>
    viewer.kind === "user" && (viewer.role === UserRole.CUSTOMER || viewer.role === UserRole.RESELLER)
      ? null
      : visibleNode(`${row}_node`, viewer, bind),
  fields: {
    id: column("id"),
    hostId: expression((row) => `${row}_node.host_id`),
    node: expression((row) => `${row}_node.name`),
    guestId: column("guest_id"),
    protocol: column("protocol"),
    publicPort: column("public_port"),
    guestPort: column("guest_port"),
    guestAddress: expression((row) => `host(${row}.guest_address)`),
    problem: expression(
      (row) =>
        `(select o.error from agent_job o where o.node_id = ${row}.node_id and o.kind = 'apply_port_forwards' and o.status = 'failed' limit 1)`,
    ),
  },
};
