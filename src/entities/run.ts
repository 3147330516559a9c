// Evacuations and balance runs, guest by guest.
import { defineEntity, p } from "@mikro-orm/core";
import type { RunItemStatus } from "../core/enums.js";

export const RunEntity = defineEntity({
  name: "Run",
  tableName: "run",
  properties: {
    id: p.integer().primary().autoincrement(),
    kind: p.text().$type<"evacuation" | "balance_run">(),
    jobId: p.integer().nullable(),
    hostId: p.integer().nullable(),
    node: p.text().nullable(),
    targetHostId: p.integer().nullable(),
    targetNode: p.text().nullable(),
    ipZoneId: p.integer().nullable(),
    dropPortForwards: p.boolean().default(false),
    /** Hosts that the caller may use; null: all. */
    hostScope: p.array<number>(Number, String).columnType("integer[]").nullable(),
    createdAt: p.datetime().defaultRaw("service_now()"),
    startedAt: p.datetime().nullable(),
    stopRequestedAt: p.datetime().nullable(),
    finishedAt: p.datetime().nullable(),
  },
});

export const RunItemEntity = defineEntity({
  name: "RunItem",
  tableName: "run_item",
  properties: {
    id: p.integer().primary().autoincrement(),
    runId: p.integer(),
    position: p.integer(),
    guestId: p.integer(),
    guestName: p.text(),
    vmid: p.integer(),
    status: p.text().$type<RunItemStatus>().default("waiting"),
    reason: p.text().nullable(),
    migrationId: p.integer().nullable(),
    fromHostId: p.integer(),
    fromNode: p.text(),
    toHostId: p.integer().nullable(),
    toNode: p.text().nullable(),
    toStorage: p.text().nullable(),
    startedAt: p.datetime().nullable(),
    finishedAt: p.datetime().nullable(),
  },
});
