// The service's parts for a test: a database of its own, real announcements, a clock that the test sets, no platform unless given.
import { randomBytes } from "node:crypto";
import { FleetCache } from "../../src/placement/fleetCache.js";
import { GuestAudience } from "../../src/access/guestAudience.js";
import type { Clock } from "../../src/concurrency/clock.js";
import { readConfig, type Config } from "../../src/config/config.js";
import type { JobWaker, Services } from "../../src/context/context.js";
import { listenForEvents } from "../../src/events/events.js";
import type { Hypervisors } from "../../src/hypervisor/hypervisor.js";
import { RememberedGuests } from "../../src/store/guest/remembered.js";
import { secretBox, type SecretBox } from "../../src/access/secretBox.js";
import { createTestDatabase, type TestDatabase } from "./database.js";
import type { Logger } from "../../src/observability/log.js";
import { silentLog } from "./log.js";

export interface TestParts {
  /** Default: the machine's clock. */
  readonly clock?: Clock;
  /** Default: every use fails, so that a test cannot reach a platform by accident. */
  readonly hypervisors?: Hypervisors;
  /** Default: wake-ups are only collected in `woken`. */
  readonly jobs?: JobWaker;
  readonly config?: Partial<Config>;
  /** Default: says nothing. */
  readonly log?: Logger;
  /** Default: a fresh one. */
  readonly database?: TestDatabase;
  /** Seals what the database holds. Default: with a key of its own. */
  readonly secrets?: SecretBox;
}

export interface TestServices extends Services {
  readonly database: TestDatabase;
  /** Ids of the jobs that were to be woken. */
  readonly woken: readonly number[];
  close(): Promise<void>;
}

/** Makes services on a fresh database; the caller closes them. */
export async function createTestServices(parts: TestParts = {}): Promise<TestServices> {
  const database = parts.database ?? (await createTestDatabase(parts.clock?.offsetSeconds));
  const events = await listenForEvents(database.url, silentLog);
  const secret = randomBytes(32).toString("base64");
  const woken: number[] = [];
  const clock = parts.clock ?? shiftableClock();
  const fleet = new FleetCache({ pool: database.pool, clock, events });
  const guestAudience = new GuestAudience({ pool: database.pool, events, log: parts.log ?? silentLog });
  return {
    config: { ...readConfig({ DATABASE_URL: database.url, DROVER_SECRET: secret }), ...parts.config },
    clock,
    log: parts.log ?? silentLog,
    pool: database.pool,
    hypervisors: parts.hypervisors ?? noPlatform,
    rememberedGuests: new RememberedGuests(),
    events,
    guestAudience,
    fleet,
    secrets: parts.secrets ?? secretBox(secret),
    jobs: parts.jobs ?? { wake: ({ id }) => void woken.push(id) },
    database,
    woken,
    async close() {
      fleet.close();
      guestAudience.close();
      await events.close();
      await database.close();
    },
  };
}

/** A clock that runs with the machine's and can be moved. */
export interface ShiftableClock extends Clock {
  /** Moves it, in seconds. */
  shift(seconds: number): void;
}

export function shiftableClock(): ShiftableClock {
  let offsetSeconds = 0;
  return {
    get offsetSeconds() {
      return offsetSeconds;
    },
    now: () => new Date(Date.now() + offsetSeconds * 1000),
    shift(seconds) {
      offsetSeconds += seconds;
    },
  };
}

/** A clock that stands at one moment. */
export function fixedClock(moment: Date | string): Clock {
  const stands = new Date(moment).getTime();
  return {
    get offsetSeconds() {
      return (stands - Date.now()) / 1000;
    },
    now: () => new Date(stands),
  };
}

const refuse = (): never => {
  throw new Error("this test has no platform");
};

/** Every use fails, so that a test cannot reach a platform by accident. */
export const noPlatform: Hypervisors = {
  of: () => Promise.reject(new Error("this test has no platform")),
  prompt: () => Promise.reject(new Error("this test has no platform")),
  patient: () => Promise.reject(new Error("this test has no platform")),
  once: () => Promise.reject(new Error("this test has no platform")),
  connect: refuse,
  forget: () => Promise.resolve(),
  close: () => Promise.resolve(),
};
