// Address zones, their addresses and who held them when.
import { defineEntity, p } from "@mikro-orm/core";

export const IpZoneEntity = defineEntity({
  name: "IpZone",
  tableName: "ip_zone",
  properties: {
    id: p.integer().primary().autoincrement(),
    hostId: p.integer(),
    name: p.text(),
    cidr: p.text().columnType("cidr"),
    rangeStart: p.text().columnType("inet"),
    rangeEnd: p.text().columnType("inet"),
    gateway: p.text().columnType("inet").nullable(),
    bridge: p.text(),
    vlan: p.integer().nullable(),
    nameservers: p.array().default([]),
    /** Addresses that can be assigned; a decimal, since an IPv6 network exceeds 64 bits. */
    total: p.decimal("string").columnType("numeric"),
    used: p.bigint("number").default(0),
    /** Where the search for a free address begins. */
    nextCandidate: p.text().columnType("inet"),
    createdAt: p.datetime().defaultRaw("service_now()"),
  },
});

export const IpZoneExclusionEntity = defineEntity({
  name: "IpZoneExclusion",
  tableName: "ip_zone_exclusion",
  properties: {
    zoneId: p.integer().primary(),
    firstAddress: p.text().columnType("inet").primary(),
    lastAddress: p.text().columnType("inet"),
  },
});

export const IpZoneReturnedEntity = defineEntity({
  name: "IpZoneReturned",
  tableName: "ip_zone_returned",
  properties: {
    zoneId: p.integer().primary(),
    address: p.text().columnType("inet").primary(),
  },
});

export const IpAddressEntity = defineEntity({
  name: "IpAddress",
  tableName: "ip_address",
  properties: {
    id: p.bigint("number").primary().autoincrement(),
    zoneId: p.integer(),
    address: p.text().columnType("inet"),
    guestId: p.integer().nullable(),
    /** The job that reserves it, until a guest has it. */
    jobId: p.integer().nullable(),
    since: p.datetime().defaultRaw("service_now()"),
  },
});

export const IpAddressHoldingEntity = defineEntity({
  name: "IpAddressHolding",
  tableName: "ip_address_holding",
  properties: {
    id: p.bigint("number").primary().autoincrement(),
    hostId: p.integer(),
    zoneId: p.integer(),
    zoneName: p.text(),
    address: p.text().columnType("inet"),
    jobId: p.integer().nullable(),
    guestId: p.integer().nullable(),
    vmid: p.integer().nullable(),
    guestName: p.text().nullable(),
    ownerId: p.integer().nullable(),
    ownerName: p.text().nullable(),
    since: p.datetime().defaultRaw("service_now()"),
    until: p.datetime().nullable(),
  },
});
