// A person that may sign in, or a customer that owns guests.
import { defineEntity, p } from "@mikro-orm/core";
import type { UserRole } from "../core/enums.js";

export const UserAccountEntity = defineEntity({
  name: "UserAccount",
  tableName: "user_account",
  properties: () => ({
    id: p.integer().primary().autoincrement(),
    email: p.text(),
    username: p.text(),
    externalId: p.text().nullable(),
    role: p.text().$type<UserRole>().default("customer"),
    /** argon2id in PHC form. */
    passwordHash: p.text().hidden(),
    /** Whether the person may come in. */
    enabled: p.boolean().default(true),
    createdBy: () => p.manyToOne(UserAccountEntity).ref().nullable().fieldName("created_by"),
    createdAt: p.datetime().defaultRaw("service_now()"),
  }),
});
