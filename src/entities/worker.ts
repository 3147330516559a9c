// Worker processes and periodic tasks.
import { defineEntity, p } from "@mikro-orm/core";

export const WorkerEntity = defineEntity({
  name: "Worker",
  tableName: "worker",
  properties: {
    name: p.text().primary(),
    queues: p.array(),
    duties: p.array().nullable(),
    seenAt: p.datetime().defaultRaw("now()"),
  },
});

/** The schedule of the previous release, whose processes use it during a rolling upgrade; the next release removes it. */
export const ScheduleEntity = defineEntity({
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

/** When each periodic task last ran, and how. */
export const TaskRunEntity = defineEntity({
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
export const DrainEntity = defineEntity({
  name: "Drain",
  tableName: "drain",
  properties: {
    /** There is one row at most. */
    oneRow: p.boolean().primary().default(true),
    begunBy: p.text(),
    since: p.datetime().defaultRaw("service_now()"),
  },
});
