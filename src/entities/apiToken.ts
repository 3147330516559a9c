// An API token of REST v1 and GraphQL; only its hash is stored.
import { defineEntity, p } from "@mikro-orm/core";

const toHostId = Number;

export const ApiTokenEntity = defineEntity({
  name: "ApiToken",
  tableName: "api_token",
  properties: {
    id: p.integer().primary().autoincrement(),
    name: p.text(),
    /** The first characters of the token, to recognize it by. */
    prefix: p.text(),
    tokenHash: p.text().hidden(),
    /** One IP address or CIDR a line; null: any source. */
    allowedIps: p.text().nullable(),
    /** Requests a minute; null or 0: no limit. */
    rateLimit: p.integer().nullable(),
    /** Ids of the hosts in scope; empty: every host. */
    connectionScope: p.array<number>(toHostId, String).columnType("integer[]").default([]),
    permissions: p.array().default([]),
    /** The token that made it, with which it is revoked; null: a person or the command line. */
    madeBy: p.integer().nullable(),
    createdAt: p.datetime().defaultRaw("service_now()"),
    expiresAt: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
    lastUsedAt: p.datetime().nullable(),
    lastUsedIp: p.text().nullable(),
  },
});
