// Requests that were answered or refused, and what they count towards.
import { defineEntity, p } from "@mikro-orm/core";

export const RequestLogEntity = defineEntity({
  name: "RequestLog",
  tableName: "request_log",
  properties: {
    id: p.bigint("number").primary().autoincrement(),
    at: p.datetime().primary(),
    tokenId: p.integer().nullable(),
    tokenName: p.text().nullable(),
    sourceIp: p.text(),
    method: p.text(),
    path: p.text(),
    status: p.smallint(),
    /** Milliseconds. */
    durationMs: p.float().columnType("real"),
  },
});

/** What the request log took when it was last measured, and what was dropped to keep it within its budget. One row. */
export const RequestLogBudgetEntity = defineEntity({
  name: "RequestLogBudget",
  tableName: "request_log_budget",
  properties: {
    oneRow: p.boolean().primary().default(true),
    sizeBytes: p.bigint("number"),
    /** The latest day (UTC) that was dropped; null: none within the time for which it is remembered. */
    droppedThrough: p.date().nullable(),
    droppedAt: p.datetime().nullable(),
  },
});

export const RateWindowEntity = defineEntity({
  name: "RateWindow",
  tableName: "rate_window",
  properties: {
    key: p.text().primary(),
    /** Start of the minute. */
    windowStart: p.datetime().primary(),
    used: p.integer(),
  },
});
