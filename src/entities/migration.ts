// Moves of guests between hosts, and the tokens they are made with.
import { defineEntity, p } from "@mikro-orm/core";
import type { GuestType, MigrationMode, MigrationStatus } from "../core/enums.js";

export const MigrationEntity = defineEntity({
  name: "Migration",
  tableName: "migration",
  properties: {
    id: p.integer().primary().autoincrement(),
    jobId: p.integer().nullable(),
    guestId: p.integer(),
    guestName: p.text(),
    guestType: p.text().$type<GuestType>(),
    vmid: p.integer(),
    targetVmid: p.integer(),
    sourceHostId: p.integer(),
    sourceNode: p.text(),
    targetHostId: p.integer(),
    targetNode: p.text(),
    mode: p.text().$type<MigrationMode>(),
    status: p.text().$type<MigrationStatus>().default("queued"),
    error: p.text().nullable(),
    bytesTotal: p.bigint("number").nullable(),
    bytesCopied: p.bigint("number").nullable(),
    /** Newest lines of the transfer. */
    log: p.array().default([]),
    transferDone: p.boolean().default(false),
    safetyCopyGuestId: p.integer().nullable(),
    evacuationId: p.integer().nullable(),
    balanceRunId: p.integer().nullable(),
    createdAt: p.datetime().defaultRaw("service_now()"),
    startedAt: p.datetime().nullable(),
    finishedAt: p.datetime().nullable(),
    /** Warnings of the plan, in words. */
    foreseen: p.array().default([]),
  },
});

export const TemporaryTokenEntity = defineEntity({
  name: "TemporaryToken",
  tableName: "temporary_token",
  properties: {
    id: p.integer().primary().autoincrement(),
    hostId: p.integer(),
    jobId: p.integer().nullable(),
    userName: p.text(),
    tokenName: p.text(),
    /** Access control entries to be removed with it. */
    grants: p.json<unknown>().defaultRaw("'[]'"),
    /** Until the transfer has begun. */
    secretEncrypted: p.text().nullable(),
    expiresAt: p.datetime(),
    createdAt: p.datetime().defaultRaw("service_now()"),
    removedAt: p.datetime().nullable(),
  },
});

/** What a host said of the latest temporary token that it was asked for. */
export const TokenRefusalEntity = defineEntity({
  name: "TokenRefusal",
  tableName: "token_refusal",
  properties: {
    hostId: p.integer().primary().autoincrement(false),
    /** Id in the ledger of the latest token whose answer is known, or was made void. */
    tokenId: p.integer(),
    /** The platform's words; null: it has made the token, or its refusal was forgotten. */
    words: p.text().nullable(),
    refusedAt: p.datetime().nullable(),
  },
});
