// Keeps all hosts synced: each at its own interval with jitter, shared among any number of processes, unaffected by dead ones.
import { isDatabaseTrouble } from "../db/databaseTrouble.js";
import type { Services } from "../context/context.js";
import { DroverError } from "../errors/errors.js";
import { pause } from "../concurrency/pause.js";
import { throttle } from "../concurrency/throttle.js";
import * as hosts from "../store/host/record.js";
import { syncHost } from "./syncHost.js";
import { StartLimit, type Pace } from "../concurrency/startLimit.js";

/** A sync waits for its host most of the time; as many hosts may hang at once without delaying the others. */
const SYNCS_AT_ONCE = 64;
/** Hosts that answer soon are synced few at once: each that only waits for the others holds connections and answers meanwhile. */
const BEGINNING: Pace = { most: 8, briskMs: 1000 };
const LOOK_MS = 500;
const SAY_AGAIN_MS = 10_000;
/** How far turns are spread, as a share of the interval, so that hosts added together do not stay together. */
const JITTER = 0.1;

interface InventoryLoop {
  /** Ends after the syncs that are under way. */
  stop(): Promise<void>;
}

export function startInventory(services: Services): InventoryLoop {
  const stopping = new AbortController();
  const running = new Map<number, Promise<void>>();
  const starts = new StartLimit(BEGINNING);

  const sync = (hostId: number): void => {
    const work = starts
      .pass(async () => {
        if (!stopping.signal.aborted) await syncHost(services, hostId);
      })
      .catch((error: unknown) => logFailure(services, hostId, error))
      .finally(() => running.delete(hostId));
    running.set(hostId, work);
  };
  const takeTurns = async (): Promise<void> => {
    const free = SYNCS_AT_ONCE - running.size;
    for (const hostId of free > 0 ? await dueHosts(services, [...running.keys()], free) : []) sync(hostId);
  };
  const loop = repeat(takeTurns, { everyMs: LOOK_MS, stopping: stopping.signal, services });

  return {
    async stop() {
      stopping.abort();
      await loop;
      await Promise.all(running.values());
    },
  };
}

interface Repetition {
  readonly everyMs: number;
  readonly stopping: AbortSignal;
  readonly services: Services;
}

/** A round that fails, while the database is away say, is followed by the next. */
async function repeat(round: () => Promise<unknown>, { everyMs, stopping, services }: Repetition): Promise<void> {
  const warn = throttle<unknown>(SAY_AGAIN_MS, (error, more) =>
    services.log.warn({ err: error, more }, "a round of the inventory failed"),
  );
  while (!stopping.aborted) {
    await round().catch(warn);
    await pause(everyMs, stopping);
  }
}

const dueHosts = ({ pool, config }: Services, running: readonly number[], most: number): Promise<number[]> =>
  hosts.takeTurns(pool, { intervalSeconds: config.syncSeconds, jitter: JITTER, running, most });

function logFailure({ log }: Services, hostId: number, error: unknown): void {
  if (error instanceof DroverError)
    log.warn({ hostId, reason: error.reason, message: error.message }, "a host could not be synced");
  else if (isDatabaseTrouble(error)) log.warn({ err: error, hostId }, "a sync waits for the database: it comes again");
  else log.error({ err: error, hostId }, "a sync failed");
}
