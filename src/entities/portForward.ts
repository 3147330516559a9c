// Public ports of nodes that lead to guests.
import { defineEntity, p } from "@mikro-orm/core";

export const PortForwardEntity = defineEntity({
  name: "PortForward",
  tableName: "port_forward",
  properties: {
    id: p.integer().primary().autoincrement(),
    nodeId: p.integer(),
    guestId: p.integer(),
    protocol: p.text().$type<"tcp" | "udp">(),
    publicPort: p.integer(),
    guestPort: p.integer(),
    guestAddress: p.text().columnType("inet"),
    createdAt: p.datetime().defaultRaw("service_now()"),
  },
});
