// A signed-in user; only the hash of the session's token is stored.
import { defineEntity, p } from "@mikro-orm/core";
import type { SessionKind } from "../core/enums.js";
import { UserAccountEntity } from "./userAccount.js";

export const SessionEntity = defineEntity({
  name: "Session",
  tableName: "session",
  properties: {
    id: p.integer().primary().autoincrement(),
    tokenHash: p.text().unique(),
    user: () => p.manyToOne(UserAccountEntity).ref(),
    createdAt: p.datetime().defaultRaw("service_now()"),
    expiresAt: p.datetime(),
    lastUsedAt: p.datetime().nullable(),
    sourceIp: p.text().nullable(),
    userAgent: p.text().nullable(),
    kind: p.text().$type<SessionKind>().default("bearer"),
  },
});
