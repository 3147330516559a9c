// Connected hosts.
import { defineEntity, p } from "@mikro-orm/core";
import type { HostKind } from "../core/enums.js";

export const HostEntity = defineEntity({
  name: "Host",
  tableName: "host",
  properties: {
    id: p.integer().primary().autoincrement(),
    name: p.text(),
    hostname: p.text(),
    port: p.integer().default(8006),
    /** Login user of the connection, with realm. */
    userName: p.text(),
    /** Null: `secretEncrypted` is a password. */
    tokenId: p.text().nullable(),
    secretEncrypted: p.text(),
    tlsFingerprint: p.text().nullable(),
    active: p.boolean().default(true),
    kind: p.text().$type<HostKind>().default("standalone"),
    clusterName: p.text().nullable(),
    version: p.text().nullable(),
    maintenance: p.boolean().default(false),
    maintenanceSince: p.datetime().nullable(),
    lastSyncAt: p.datetime().nullable(),
    lastSyncError: p.text().nullable(),
    lastAttemptAt: p.datetime().nullable(),
    createdAt: p.datetime().defaultRaw("service_now()"),
    /** Whether the cluster has quorum; true for a standalone node. */
    quorate: p.boolean().default(true),
    /** Whether moves to it may use temporary tokens with all rights of its connection. */
    allowUnrestrictedMoveToken: p.boolean().default(false),
    /** The host that has the same machines: this one is not read. */
    sameAsHostId: p.integer().nullable(),
    /** First VMID that the host gives to new guests. */
    vmidLower: p.integer().default(100),
    /** The VMID after the last one that it gives. */
    vmidUpper: p.integer().default(1_000_000),
  },
});
