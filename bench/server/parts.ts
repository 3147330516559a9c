// What servers written by hand have in common with the service: the same database, the same access checks, the same request log.
import type { IncomingMessage } from "node:http";
import { GuestAudience } from "../../src/access/guestAudience.js";
import { openAccess, type Access, type Authentication } from "../../src/access/authenticate.js";
import { RequestLog } from "../../src/access/requestLog.js";
import { sourceIp, trustedProxies } from "../../src/access/sourceIp.js";
import { FleetCache } from "../../src/placement/fleetCache.js";
import { systemClock } from "../../src/concurrency/clock.js";
import { readConfig } from "../../src/config/config.js";
import type { Services } from "../../src/context/context.js";
import { openDatabase } from "../../src/db/database.js";
import { listenForEvents } from "../../src/events/events.js";
import { databaseTimeouts } from "../../src/config/limits.js";
import { RememberedGuests } from "../../src/store/guest/remembered.js";
import { createLogger } from "../../src/observability/log.js";
import { secretBox } from "../../src/access/secretBox.js";

/** The key of stored secrets in all of a benchmark's processes. */
export const SECRET = Buffer.alloc(32).toString("base64");
const NO_PROXIES = trustedProxies([]);

export interface BenchParts {
  readonly services: Services;
  readonly access: Access;
  readonly requestLog: RequestLog;
}

export async function openBenchParts(databaseUrl: string): Promise<BenchParts> {
  const log = createLogger("error", "bench");
  const config = readConfig({ DATABASE_URL: databaseUrl, DROVER_SECRET: SECRET });
  const database = openDatabase(databaseUrl, log, databaseTimeouts(config.limits));
  const { pool } = database;
  const clock = systemClock();
  const events = await listenForEvents(databaseUrl, log);
  const services: Services = {
    config,
    clock,
    log,
    pool,
    events,
    guestAudience: new GuestAudience({ pool, events, log }),
    fleet: new FleetCache({ pool, clock, events }),
    secrets: secretBox(SECRET),
    hypervisors: noPlatform,
    rememberedGuests: new RememberedGuests(),
    jobs: { wake: () => undefined },
  };
  return { services, access: openAccess(services), requestLog: new RequestLog(services) };
}

/** The access checks of the service, for handlers that are written by hand. */
export function admit({ access }: BenchParts, { headers, socket }: IncomingMessage): Promise<Authentication> {
  const source = sourceIp({ socketAddress: socket.remoteAddress, forwardedFor: undefined }, NO_PROXIES);
  return access.authenticate({ authorization: headers.authorization, sourceIp: source }, ["apiToken"]);
}

const refuse = (): never => {
  throw new Error("a benchmark has no platform");
};

const noPlatform: Services["hypervisors"] = {
  of: () => Promise.reject(new Error("a benchmark has no platform")),
  prompt: () => Promise.reject(new Error("a benchmark has no platform")),
  patient: () => Promise.reject(new Error("a benchmark has no platform")),
  once: () => Promise.reject(new Error("a benchmark has no platform")),
  connect: refuse,
  forget: () => Promise.resolve(),
  close: () => Promise.resolve(),
};
