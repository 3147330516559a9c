// What a job or a request holds until it ends: locks, VMIDs, room on a node, turns to clone; and VMIDs that are out for a while.
import { defineEntity, p } from "@mikro-orm/core";

export const ResourceLockEntity = defineEntity({
  name: "ResourceLock",
  tableName: "resource_lock",
  properties: {
    /** `guest:<host id>:<vmid>` */
    key: p.text().primary(),
    /** Null: held by a request, until `until`. */
    jobId: p.integer().nullable(),
    since: p.datetime().defaultRaw("now()"),
    until: p.datetime().nullable(),
  },
});

export const VmidReservationEntity = defineEntity({
  name: "VmidReservation",
  tableName: "vmid_reservation",
  properties: {
    hostId: p.integer().primary(),
    vmid: p.integer().primary(),
    jobId: p.integer(),
  },
});

/** A VMID that the host has refused for a new guest: it is not chosen until then. */
export const VmidRefusalEntity = defineEntity({
  name: "VmidRefusal",
  tableName: "vmid_refusal",
  properties: {
    hostId: p.integer().primary(),
    vmid: p.integer().primary(),
    until: p.datetime(),
  },
});

export const CapacityReservationEntity = defineEntity({
  name: "CapacityReservation",
  tableName: "capacity_reservation",
  properties: {
    jobId: p.integer().primary(),
    nodeId: p.integer(),
    storage: p.text().primary(),
    memoryMb: p.integer(),
    diskBytes: p.bigint("number"),
  },
});

/** A job that clones a template, or waits until it may. */
export const CloneTurnEntity = defineEntity({
  name: "CloneTurn",
  tableName: "clone_turn",
  properties: {
    jobId: p.integer().primary().autoincrement(false),
    /** Of the template. */
    hostId: p.integer(),
    vmid: p.integer(),
    /** False: it waits. */
    hasBegun: p.boolean().default(false),
  },
});
