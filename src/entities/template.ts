// What new guests are made of.
import { defineEntity, p } from "@mikro-orm/core";

export const OsTemplateEntity = defineEntity({
  name: "OsTemplate",
  tableName: "os_template",
  properties: {
    id: p.integer().primary().autoincrement(),
    hostId: p.integer(),
    nodeId: p.integer(),
    vmid: p.integer(),
    name: p.text(),
    /** Of its system disk; of all its disks while nothing has said which of them that is. */
    minDiskBytes: p.bigint("number").default(0),
    active: p.boolean().default(true),
    createdAt: p.datetime().defaultRaw("service_now()"),
  },
});

export const CtTemplateEntity = defineEntity({
  name: "CtTemplate",
  tableName: "ct_template",
  properties: {
    id: p.integer().primary().autoincrement(),
    name: p.text(),
    volid: p.text(),
    active: p.boolean().default(true),
    createdAt: p.datetime().defaultRaw("service_now()"),
  },
});
