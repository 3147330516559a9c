// Worker processes and periodic tasks.
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

/** When each periodic task last ran, and how. */
export const TaskRun = defineEntity({
  name: "TaskRun",
  tableName: "task_run",
  properties: {
    name: p.text().primary(),
    startedAt: p.datetime(),
    finishedAt: p.datetime().nullable(),
    /** Why the last run failed. */
    error: p.text().nullable(),
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
