// Assembles the service: server, database, APIs, workers; and stops them in the reverse order of dependence.
import { mountGraphql } from "../graphql/mount.js";
import { watchQueue, type QueueWatch } from "../jobs/queue/queueWatch.js";
import { mountRest } from "../rest/mount.js";
import { buildDroverSchema } from "../resolvers/buildSchema.js";
import { drainOf } from "../src/actions/drain.js";
import { Admission } from "../src/access/admission/admission.js";
import { RequestsPresent } from "../src/access/admission/requestsPresent.js";
import { openAccess } from "../src/access/authenticate.js";
import { RequestLog, type LoggedRequest } from "../src/access/requestLog.js";
import type { Clock } from "../src/concurrency/clock.js";
import type { Config } from "../src/config/config.js";
import type { Services } from "../src/context/context.js";
import { WORK_QUEUES } from "../src/core/workQueue.js";
import { pendingSchemaChanges } from "../src/db/migrate.js";
import { reachDatabase } from "../src/db/reach.js";
import { Health, type ReadinessChecks } from "../src/observability/health.js";
import { mountHeartbeat } from "../heartbeat/mount.js";
import type { Logger } from "../src/observability/log.js";
import { openHttpServer, type HttpServer } from "./server/httpServer.js";
import { mountDashboard } from "./server/dashboard.js";
import { ensureAdmin, type FirstAdmin } from "./server/firstAdmin.js";
import { watchEventLoopDelay } from "./server/eventLoopDelay.js";
import type { RefusedRequest } from "./server/malformed.js";
import { startStandingWork } from "./server/standingWork.js";
import { watchDuties } from "./server/dutyWatch.js";
import { openServices, type OpenedServices } from "./server/services.js";
import { Teardown } from "./server/teardown.js";
import { retryUntilAvailable } from "../src/db/retryUntilAvailable.js";

/** A running service. */
export interface Service {
  /** Base URL of its HTTP server. */
  readonly url: string;
  /** Set when this start made the first admin. */
  readonly firstAdmin: FirstAdmin | null;
  /** Drains and ends everything; running jobs are left resumable. */
  stop(): Promise<void>;
}

/**
 * Starts what the role asks for; resolves when the service is ready.
 * @param signal aborts a start that still waits for the database
 * @throws Error when it cannot start; what had been started is ended
 */
export async function startService(config: Config, log: Logger, signal?: AbortSignal): Promise<Service> {
  const teardown = new Teardown(log);
  try {
    return await start({ config, log, signal, teardown });
  } catch (error) {
    await teardown.run();
    throw error;
  }
}

interface Start {
  readonly config: Config;
  readonly log: Logger;
  readonly signal: AbortSignal | undefined;
  readonly teardown: Teardown;
}

async function start({ config, log, signal, teardown }: Start): Promise<Service> {
  const health = new Health();
  const http = await openHttpServer({
    bind: config.bind,
    port: config.port,
    health,
    log,
    mostConnections: config.limits.connections,
    early: (app) => config.role !== "worker" && mountDashboard(app, log),
  });
  log.info({ url: http.url }, "listening");
  teardown.add("ingress", "HTTP server", () => {
    health.phase = "stopping";
    return http.close();
  });
  const reached = await reachDatabase(config, "own", { log, signal });
  teardown.add("server", "embedded PostgreSQL", () => reached.stop());
  const { services, work, queue } = await openServices({ config, log, reached, teardown, signal });
  const makeAdmin = (): Promise<FirstAdmin | null> => ensureAdmin(work.pool, config.adminPassword);
  const firstAdmin = config.role === "worker" ? null : await retryUntilAvailable({ log, signal }, makeAdmin);
  if (config.role !== "worker") await mountDoors(http, { services, work }, teardown);
  if (config.role !== "api") await startStandingWork({ services: work, queue, queues: WORK_QUEUES, teardown });
  const duties = watchDuties(work);
  teardown.add("ingress", "the watch over duties", () => duties.stop());
  http.finish();
  const watch = watchQueue(queue, log);
  teardown.add("ingress", "the queue's watch", () => watch.stop());
  health.run(readinessOf(services, watch));
  return { url: http.url, firstAdmin, stop: () => teardown.run() };
}

async function mountDoors(
  http: HttpServer,
  { services, work }: Pick<OpenedServices, "services" | "work">,
  teardown: Teardown,
): Promise<void> {
  const schema = buildDroverSchema();
  const access = openAccess(services);
  teardown.add("writes", "last uses of tokens", () => access.close());
  const requestLog = new RequestLog(work);
  teardown.add("writes", "request log", () => requestLog.close());
  http.malformed.logTo((refused) => requestLog.record(asRow(refused, services.clock)));
  const { clock, config, log } = services;
  const present = new RequestsPresent();
  const pressure = watchEventLoopDelay({ limitMs: config.limits.lateMs, present, log });
  teardown.add("ingress", "event loop delay", () => pressure.close());
  const admission = new Admission({
    clock,
    log,
    limits: config.limits,
    trustedProxies: config.trustedProxies,
    url: config.url,
    access,
    requestLog,
    pressure,
    present,
  });
  const heartbeats = mountHeartbeat(http.app, { services, admission }, http.shortcut);
  teardown.add("ingress", "agents that wait", () => heartbeats.close());
  mountRest(http.app, { services, schema, admission });
  const graphql = await mountGraphql(http.app, http.server, { services, admission });
  teardown.add("ingress", "GraphQL", () => graphql.close());
}

const asRow = (refused: RefusedRequest, clock: Clock): LoggedRequest => ({
  ...refused,
  at: clock.now(),
  tokenId: null,
  tokenName: null,
  durationMs: 0,
});

function readinessOf({ pool }: Services, queue: QueueWatch): ReadinessChecks {
  const needed = {
    database: async () => {
      const { rows } = await pool.query<{ setting: string }>(
        "select current_setting('transaction_read_only') as setting",
      );
      if (rows[0]?.setting !== "off") throw new Error("it takes no changes at present");
    },
    migrations: async () => {
      const pending = await pendingSchemaChanges(pool);
      if (pending.length > 0) throw new Error(`schema changes are missing: ${pending.join(", ")}`);
    },
  };
  const useful = {
    queue: async () => {
      if (queue.fault !== null) throw new Error(queue.fault);
    },
    work: async () => {
      const drain = await drainOf(pool);
      if (drain !== null) throw new Error(`drained since ${drain.since.toISOString()}: no jobs are begun`);
    },
  };
  return { needed, useful };
}
