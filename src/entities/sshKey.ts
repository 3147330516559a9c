// A user's public SSH key, installed on guests that are created for them.
import { defineEntity, p } from "@mikro-orm/core";
import { UserAccountEntity } from "./userAccount.js";

export const SshKeyEntity = defineEntity({
  name: "SshKey",
  tableName: "ssh_key",
  properties: {
    id: p.integer().primary().autoincrement(),
    user: () => p.manyToOne(UserAccountEntity).ref(),
    name: p.text(),
    publicKey: p.text(),
    /** `SHA256:…` as ssh-keygen prints it. */
    fingerprint: p.text(),
    createdAt: p.datetime().defaultRaw("service_now()"),
  },
});
