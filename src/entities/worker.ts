// Worker processes and daily tasks.
import { defineEntity, p } from "@mikro-orm/core";

export const Worker = defineEntity({
  name: "Worker",
  tableName: "worker",
  properties: {
    name: p.text().primary(),
    queues: p.array(),
    duties: p.array().nullable(),
    seenAt: p.datetime().defaultRaw("now()"),
  },
});

export const Schedule = defineEntity({
  name: "Schedule",
  tableName: "schedule",
  properties: {
    name: p.text().primary(),
    dueAt: p.datetime().defaultRaw("now()"),
    lastStartedAt: p.datetime().nullable(),
    lastFinishedAt: p.datetime().nullable(),
    lastError: p.text().nullable(),
  },
});

/** While it has a row, no worker begins a job. */
export const Drain = defineEntity({
  name: "Drain",
  tableName: "drain",
  properties: {
    /** There is one row at most. */
    oneRow: p.boolean().primary().default(true),
    begunBy: p.text(),
    since: p.datetime().defaultRaw("service_now()"),
  },
});
