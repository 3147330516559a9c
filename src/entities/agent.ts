// The on-host agents, and what they are to do.
import { defineEntity, p } from "@mikro-orm/core";

export const AgentEntity = defineEntity({
  name: "Agent",
  tableName: "agent",
  properties: {
    nodeId: p.integer().primary().autoincrement(false),
    tokenHash: p.text(),
    version: p.text().nullable(),
    healthy: p.boolean().default(false),
    problems: p.array().default([]),
    natConfigured: p.boolean().default(false),
    publicAddress: p.text().nullable(),
    lastSeenAt: p.datetime().nullable(),
  },
});

export const AgentJobEntity = defineEntity({
  name: "AgentJob",
  tableName: "agent_job",
  properties: {
    id: p.uuid().primary().defaultRaw("gen_random_uuid()"),
    nodeId: p.integer(),
    jobId: p.integer().nullable(),
    kind: p.text().$type<"tcp_check" | "unlock_guest" | "apply_port_forwards">(),
    payload: p.json<unknown>().defaultRaw("'{}'"),
    status: p.text().$type<"waiting" | "done" | "failed">().default("waiting"),
    error: p.text().nullable(),
    data: p.json<unknown>().defaultRaw("'{}'"),
    createdAt: p.datetime().defaultRaw("service_now()"),
    deadline: p.datetime(),
    finishedAt: p.datetime().nullable(),
  },
});
