// A signed-in user; only the hash of the session's token is stored.
import { defineEntity, p } from "@mikro-orm/core";
import { UserAccountEntity } from "./userAccount.js";

export const SessionEntity = defineEntity({
  name: "Session",
  tableName: "session",
  properties: {
    tokenHash: p.text().primary(),
    user: () => p.manyToOne(UserAccountEntity).ref(),
    createdAt: p.datetime().defaultRaw("service_now()"),
    expiresAt: p.datetime(),
  },
});
