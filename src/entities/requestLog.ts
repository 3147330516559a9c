// Requests that were answered or refused, and what they count towards.
import { defineEntity, p } from "@mikro-orm/core";

export const RequestLog = defineEntity({
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

export const RateWindow = defineEntity({
  name: "RateWindow",
  tableName: "rate_window",
  properties: {
    key: p.text().primary(),
    /** Start of the minute. */
    windowStart: p.datetime().primary(),
    used: p.integer(),
  },
});
