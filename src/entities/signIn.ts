// A sign-in of a person, or a try that failed; and from where they have signed in.
import { defineEntity, p } from "@mikro-orm/core";
import type { SignInOutcome } from "../core/enums.js";
import { UserAccountEntity } from "./userAccount.js";

export const SignInEntity = defineEntity({
  name: "SignIn",
  tableName: "sign_in",
  properties: {
    id: p.bigint("number").primary().autoincrement(),
    user: () => p.manyToOne(UserAccountEntity).ref(),
    at: p.datetime().defaultRaw("service_now()"),
    sourceIp: p.text(),
    userAgent: p.text().nullable(),
    outcome: p.text().$type<SignInOutcome>(),
    /** Whether the person had not signed in from the network for a month. */
    newAddress: p.boolean().default(false),
  },
});

export const KnownAddressEntity = defineEntity({
  name: "KnownAddress",
  tableName: "known_address",
  properties: {
    user: () => p.manyToOne(UserAccountEntity).ref().primary(),
    /** The address itself, of IPv6 its /64. */
    network: p.text().primary(),
    lastAt: p.datetime(),
  },
});
