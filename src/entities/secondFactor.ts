// Second factors of people: keys of one-time codes, and recovery codes.
import { defineEntity, p } from "@mikro-orm/core";
import { UserAccountEntity } from "./userAccount.js";

export const TotpEntity = defineEntity({
  name: "Totp",
  tableName: "totp",
  properties: {
    id: p.integer().primary().autoincrement(),
    user: () => p.manyToOne(UserAccountEntity).ref(),
    secretEncrypted: p.text(),
    /** The newest 30 seconds whose code was used: neither it nor an earlier one counts again. Null: the key is not confirmed. */
    lastStep: p.bigint("number").nullable(),
  },
});

export const RecoveryCodeEntity = defineEntity({
  name: "RecoveryCode",
  tableName: "recovery_code",
  properties: {
    user: () => p.manyToOne(UserAccountEntity).ref().primary(),
    codeHash: p.text().primary(),
  },
});
