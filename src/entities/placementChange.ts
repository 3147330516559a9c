// Which hosts changed for placement, and in which transaction.
import { defineEntity, p } from "@mikro-orm/core";

export const PlacementChangeEntity = defineEntity({
  name: "PlacementChange",
  tableName: "placement_change",
  properties: {
    hostId: p.integer().primary(),
    /** Transaction that changed what placement sees of the host. */
    changedIn: p.text().columnType("xid8").primary().defaultRaw("pg_current_xact_id()"),
  },
});
