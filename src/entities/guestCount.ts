// How many guests a host has: the sum of its rows. Triggers write them.
import { defineEntity, p } from "@mikro-orm/core";

export const GuestCountEntity = defineEntity({
  name: "GuestCount",
  tableName: "guest_count",
  properties: {
    id: p.integer().primary().autoincrement(),
    hostId: p.integer(),
    /** Below 0 where a guest is gone that another row counts. */
    present: p.integer(),
  },
});
