// The handler of heartbeats over real HTTP beside REST v1, and agents that send to it.
import assert from "node:assert/strict";
import { buildDroverSchema } from "../../../resolvers/buildSchema.js";
import { mountRest } from "../../../rest/mount.js";
import { openAccess } from "../../../src/access/authenticate.js";
import { RequestLog } from "../../../src/access/requestLog.js";
import { systemStopwatch, type Stopwatch } from "../../../src/concurrency/stopwatch.js";
import { createAgentToken } from "../../../src/actions/host/agentToken.js";
import { Health } from "../../../src/observability/health.js";
import type { HeartbeatHandler } from "../../../heartbeat/handler.js";
import { mountHeartbeat } from "../../../heartbeat/mount.js";
import { openHttpServer } from "../../../app/server/httpServer.js";
import { storeToken } from "../../support/tokens.js";
import { contextOf, managingToken } from "../../support/context.js";
import { HandTime } from "../../support/handTime.js";
import { silentLog } from "../../support/log.js";
import { admissionOf } from "../../support/admission.js";
import { plant } from "../../support/rows.js";
import { createTestServices, shiftableClock, type ShiftableClock, type TestServices } from "../../support/services.js";

export const HEARTBEAT = {
  protocol: 1,
  agent_version: "1.0.0",
  hypervisor_version: "8.4.5",
  healthy: true,
  problems: [],
  nat_configured: true,
  public_address: "203.0.113.4",
  cpu_usage: 0.31,
  memory_mb: 65_536,
  memory_used_mb: 20_480,
  results: [],
} as const;

/** A job as an agent is told of it. */
export interface ToldJob {
  readonly id: string;
  readonly kind: string;
  readonly payload: unknown;
  readonly deadline: string;
}

interface Knock {
  /** Text is sent as it is. */
  readonly body?: object | string;
  /** Sent instead of `body`. */
  readonly form?: URLSearchParams;
  readonly query?: string;
  readonly signal?: AbortSignal;
}

export interface AgentService {
  readonly url: string;
  readonly services: TestServices;
  readonly clock: ShiftableClock;
  /** Waits for work end when it is moved. */
  readonly time: HandTime;
  readonly handler: HeartbeatHandler;
  /** API token of a program that may see everything. */
  readonly apiToken: string;
  /** Makes the agent of a node of host 1. @returns its token */
  agentOf(node: string): Promise<string>;
  /** Sends a heartbeat that must be answered 200. @returns the jobs that came with it */
  beat(token: string, knock?: Knock): Promise<readonly ToldJob[]>;
  close(): Promise<void>;
}

/** Starts the service with one host of these nodes. @param pausing what pauses of refusals are timed by; default: the machine's time */
export async function startAgentService(
  nodes: readonly string[] = ["pve1"],
  pausing: Stopwatch = systemStopwatch,
): Promise<AgentService> {
  const clock = shiftableClock();
  const time = new HandTime();
  const services = await createTestServices({ clock });
  await plant(services.pool, { host: [{}], node: nodes.map((name) => ({ name, status: "online" })) });
  const { value: apiToken } = await storeToken(services.pool, { name: "program" });
  const access = openAccess(services);
  const requestLog = new RequestLog(services);
  const health = new Health();
  health.phase = "running";
  const http = await openHttpServer({ bind: "127.0.0.1", port: 0, health, log: silentLog, leaveMs: 0 });
  const admission = admissionOf(services, { access, requestLog, stopwatch: pausing });
  const handler = mountHeartbeat(http.app, { services, admission, stopwatch: time }, http.shortcut);
  mountRest(http.app, { services, schema: buildDroverSchema(), admission });
  http.finish();
  const url = `${http.url}/api/v1/agent/heartbeat`;
  return {
    url,
    services,
    clock,
    time,
    handler,
    apiToken,
    async agentOf(node) {
      const { value } = await createAgentToken(contextOf(services, managingToken()), 1, node);
      // An agent that has long been there has applied the forwards that it was told with its token.
      await services.pool.query(`delete from agent_job where kind = 'apply_port_forwards'`);
      return value;
    },
    async beat(token, knock = {}) {
      const answer = await knockAt(url, token, knock);
      const text = await answer.text();
      assert.equal(answer.status, 200, text);
      const { data }: { data: { jobs: ToldJob[] } } = JSON.parse(text);
      return data.jobs;
    },
    async close() {
      await handler.close();
      http.server.closeAllConnections();
      await http.close();
      await Promise.all([access.close(), requestLog.close()]);
      await services.close();
    },
  };
}

/** Sends a heartbeat. */
export const knockAt = (
  url: string,
  token: string | null,
  { body = HEARTBEAT, form, query = "", signal }: Knock = {},
) =>
  fetch(url + query, {
    method: "POST",
    headers: {
      "content-type": form === undefined ? "application/json" : "application/x-www-form-urlencoded",
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    },
    body: form ?? (typeof body === "string" ? body : JSON.stringify(body)),
    signal: signal ?? null,
  });
