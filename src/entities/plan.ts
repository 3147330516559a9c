// Sizes that guests are sold in.
import { defineEntity, p } from "@mikro-orm/core";

export const PlanEntity = defineEntity({
  name: "Plan",
  tableName: "plan",
  properties: {
    id: p.integer().primary().autoincrement(),
    name: p.text(),
    cores: p.integer(),
    memoryMb: p.integer(),
    diskGb: p.integer(),
    trafficGb: p.integer().nullable(),
    runtimeDays: p.integer().nullable(),
    active: p.boolean().default(true),
    createdAt: p.datetime().defaultRaw("service_now()"),
  },
});
