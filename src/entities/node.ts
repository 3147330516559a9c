// Nodes of hosts, with what was observed on them.
import { defineEntity, p } from "@mikro-orm/core";
import type { NodeStatus } from "../core/enums.js";

export const NodeEntity = defineEntity({
  name: "Node",
  tableName: "node",
  properties: {
    id: p.integer().primary().autoincrement(),
    hostId: p.integer(),
    name: p.text(),
    status: p.text().$type<NodeStatus>().default("unknown"),
    version: p.text().nullable(),
    startedAt: p.datetime().nullable(),
    cpuCores: p.integer().default(0),
    /** 0..1 */
    cpuUsage: p.double().default(0),
    /** 0..1; null without a sample in the window. */
    cpuAverage30m: p.double().nullable().fieldName("cpu_average_30m"),
    memoryMb: p.integer().default(0),
    memoryUsedMb: p.integer().default(0),
    sampledAt: p.datetime().nullable(),
    detailsReadAt: p.datetime().nullable(),
    /** Of the package that moves machines, and of the one that moves containers; null: not known. */
    qemuServer: p.text().nullable(),
    pveContainer: p.text().nullable(),
    /** Of its processors, such as `amd64`; null: not known. */
    architecture: p.text().nullable(),
    /** When the three were read last, or asked for in vain. */
    softwareReadAt: p.datetime().nullable(),
    /** SHA-256 of its certificate, `AA:BB:…`; null: its host does not tell. */
    certificate: p.text().nullable(),
    createdAt: p.datetime().defaultRaw("service_now()"),
    /** Whether its host told its load; else the figures of it mean nothing. */
    loadKnown: p.boolean().default(true),
  },
});

export const NodeSampleEntity = defineEntity({
  name: "NodeSample",
  tableName: "node_sample",
  properties: {
    nodeId: p.integer().primary(),
    at: p.datetime().primary(),
    /** 0..1 */
    cpuUsage: p.float().columnType("real"),
    memoryUsedMb: p.integer(),
  },
});

export const StorageEntity = defineEntity({
  name: "Storage",
  tableName: "storage",
  properties: {
    id: p.integer().primary().autoincrement(),
    nodeId: p.integer(),
    name: p.text(),
    type: p.text(),
    content: p.array().default([]),
    shared: p.boolean().default(false),
    active: p.boolean().default(false),
    totalBytes: p.bigint("number").default(0),
    usedBytes: p.bigint("number").default(0),
    freeBytes: p.bigint("number").default(0),
    /** Whether its host told how much room it has; else the figures of it mean nothing. */
    roomKnown: p.boolean().default(true),
  },
});

export const NetworkEntity = defineEntity({
  name: "Network",
  tableName: "network",
  properties: {
    id: p.integer().primary().autoincrement(),
    nodeId: p.integer(),
    name: p.text(),
    type: p.text(),
    active: p.boolean().default(false),
    cidr: p.text().nullable(),
  },
});

export const NodeFileEntity = defineEntity({
  name: "NodeFile",
  tableName: "node_file",
  properties: {
    id: p.integer().primary().autoincrement(),
    nodeId: p.integer(),
    storage: p.text(),
    volid: p.text(),
    content: p.text().$type<"vztmpl" | "iso">(),
    sizeBytes: p.bigint("number").default(0),
  },
});

export const ResellerNodeEntity = defineEntity({
  name: "ResellerNode",
  tableName: "reseller_node",
  properties: {
    userId: p.integer().primary(),
    nodeId: p.integer().primary(),
  },
});
