// A signed-in user; only the hash of the session's token is stored.
import { defineEntity, p, type InferEntity } from "@mikro-orm/core";
import { UserAccount } from "./userAccount.js";

export const Session = defineEntity({
  name: "Session",
  tableName: "session",
  properties: {
    tokenHash: p.text().primary(),
    user: () => p.manyToOne(UserAccount).ref(),
    createdAt: p.datetime().defaultRaw("service_now()"),
    expiresAt: p.datetime(),
  },
});
export type Session = InferEntity<typeof Session>;
