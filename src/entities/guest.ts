// Guests of all hosts; a row outlives its guest for the history.
import { defineEntity, p } from "@mikro-orm/core";
import type { GuestStatus, GuestType } from "../core/enums.js";

export const GuestEntity = defineEntity({
  name: "Guest",
  tableName: "guest",
  properties: {
    id: p.integer().primary().autoincrement(),
    hostId: p.integer(),
    /** Null only of a guest that is gone, whose node has left its cluster since. */
    nodeId: p.integer().nullable(),
    type: p.text().$type<GuestType>(),
    vmid: p.integer(),
    name: p.text().default(""),
    /** As last observed. */
    status: p.text().$type<GuestStatus>().default("unknown"),
    template: p.boolean().default(false),
    lock: p.text().nullable(),
    tags: p.array().default([]),
    cores: p.integer().default(0),
    memoryMb: p.integer().default(0),
    /** Of the data disks whose size is known. */
    diskBytes: p.bigint("number").default(0),
    cpuUsage: p.float().columnType("real").nullable(),
    memoryUsedMb: p.integer().nullable(),
    startedAt: p.datetime().nullable(),
    ipAddresses: p.array().default([]),
    ownerId: p.integer().nullable(),
    planId: p.integer().nullable(),
    safetyCopy: p.boolean().default(false),
    /** When the daily prune deletes a safety copy. */
    safetyCopyDeleteAt: p.datetime().nullable(),
    /** Distinguishes this guest from another one that gets its VMID: SMBIOS UUID, MAC addresses, creation time. */
    identity: p.json<unknown>().nullable(),
    /** When its configuration was last read. */
    configReadAt: p.datetime().nullable(),
    /** When a sync first missed it; a later one decides whether it is gone. */
    unseenSince: p.datetime().nullable(),
    /** Set once the guest no longer exists; its row stays for the history. */
    goneAt: p.datetime().nullable(),
    createdAt: p.datetime().defaultRaw("service_now()"),
    /** Storages that hold its disks. */
    storages: p.array().default([]),
    /** Keys of the data disks whose size nothing tells; null: no configuration was read yet. */
    unsizedDisks: p.array().default([]).nullable(),
    /** Of `diskBytes` what the system disk has: a machine's boot disk, a container's root file system. Null: not known. */
    systemDiskBytes: p.bigint("number").nullable(),
  },
});
