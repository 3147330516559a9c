// Opens the parts that actions, entry points and jobs share, on a database that answers.
import { hostname } from "node:os";
import { connectQueue, type JobQueue } from "../../jobs/queue/queue.js";
import { FleetCache } from "../../src/placement/fleetCache.js";
import { loadHostConnection } from "../../src/actions/host/hostConnection.js";
import { openAddresses } from "../../src/core/addressing/closedAddress.js";
import { systemClock } from "../../src/concurrency/clock.js";
import type { Config } from "../../src/config/config.js";
import type { Services } from "../../src/context/context.js";
import { openDatabase } from "../../src/db/database.js";
import { databaseTimeouts } from "../../src/config/limits.js";
import { applySchemaChanges } from "../../src/db/migrate.js";
import type { ReachedDatabase } from "../../src/db/reach.js";
import { listenForEvents } from "../../src/events/events.js";
import { createHypervisors } from "../../src/hypervisor/hypervisors.js";
import { proxmoxDriver } from "../../src/hypervisor/proxmox/driver.js";
import { RememberedGuests } from "../../src/store/guest/remembered.js";
import type { Logger } from "../../src/observability/log.js";
import { GuestAudience } from "../../src/access/guestAudience.js";
import { secretBox } from "../../src/access/secretBox.js";
import { followHosts } from "./followHosts.js";
import type { Teardown } from "./teardown.js";
import { retryUntilAvailable } from "../../src/db/retryUntilAvailable.js";

interface ServiceParts {
  readonly config: Config;
  readonly log: Logger;
  readonly reached: ReachedDatabase;
  /** Learns how each part is ended. */
  readonly teardown: Teardown;
  /** Ends the waiting for what is away. */
  readonly signal?: AbortSignal | undefined;
}

/** What is open, seen from two sides that differ in their database connections. */
export interface OpenedServices {
  /** For whoever waits for an answer. */
  readonly services: Services;
  /** For jobs, syncs, and what is written down behind answers. */
  readonly work: Services;
  readonly queue: JobQueue;
}

/** Brings the schema up to date and opens everything. */
export async function openServices(parts: ServiceParts): Promise<OpenedServices> {
  const { config, log, reached, teardown } = parts;
  const applied = await retryUntilAvailable(parts, () => applySchemaChanges(reached.url, log));
  if (applied.length > 0) log.info({ applied }, "the schema was brought up to date");
  const database = openDatabase(reached.url, log, {
    ...databaseTimeouts(config.limits),
    clockOffsetSeconds: config.clockOffsetSeconds,
  });
  teardown.add("database", "database", () => database.close());
  const { pool, workPool } = database;
  const events = await retryUntilAvailable(parts, () => listenForEvents(reached.url, log));
  teardown.add("events", "events", () => events.close());
  const queue = await openQueue(parts);
  const secrets = secretBox(reached.secret, config.previousSecret === undefined ? [] : [config.previousSecret]);
  const hypervisors = createHypervisors(
    (hostId) => loadHostConnection({ pool: workPool, secrets }, hostId),
    proxmoxDriver({ promptCalls: config.limits.hostCallsWaiting, isOpenAddress: openAddresses(config.privateHosts) }),
  );
  teardown.add("platform", "connections to hosts", () => hypervisors.close());
  teardown.add("events", "announcements of hosts", followHosts({ events, hypervisors, log }));
  const clock = systemClock(config.clockOffsetSeconds);
  const fleet = new FleetCache({ pool, clock, events });
  teardown.add("events", "the fleet in memory", () => fleet.close());
  const guestAudience = new GuestAudience({ pool, events, log });
  teardown.add("events", "the audience of guests", () => guestAudience.close());
  const platform = { hypervisors, rememberedGuests: new RememberedGuests() };
  const services = {
    config,
    clock,
    log,
    pool,
    ...platform,
    events,
    guestAudience,
    fleet,
    secrets,
    jobs: queue,
  };
  return { services, work: { ...services, pool: workPool }, queue };
}

async function openQueue({ config, log, reached, teardown, signal }: ServiceParts): Promise<JobQueue> {
  const name = `${hostname()}:${process.pid}`;
  const queue = await connectQueue({ databaseUrl: reached.url, mongodbUri: config.mongodbUri, name, signal }, log);
  teardown.add("queue", "job queue", () => queue.close());
  return queue;
}
