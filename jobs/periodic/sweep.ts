// Releases, once a minute, whatever is still held for jobs that ended or vanished: normally nothing, but otherwise it would stay held for ever.
import { sweepTokens } from "../migration/removeTokens.js";
import * as forwards from "../../src/store/portForward.js";
import type { Services } from "../../src/context/context.js";
import { inTransaction } from "../../src/db/transaction.js";
import { releaseOrphaned, type Released } from "../../src/store/held/release.js";
import { pause } from "../../src/concurrency/pause.js";

const INTERVAL_MS = 60_000;

/** How many of each were released or repeated. */
interface Swept extends Released {
  /** Guests deleted behind the service's back whose public ports were closed: no fault of a job. */
  readonly closedGuests: number;
  /** Nodes whose agents could not apply their port forwards, and are sent them again. */
  readonly forwardsRepeated: number;
}

/** Sweeps until `stopping`; any number of processes may. */
export async function sweepUntil(stopping: AbortSignal, services: Services): Promise<void> {
  while (!stopping.aborted) {
    await sweepAndLog(services).catch((error: unknown) => services.log.warn({ err: error }, "sweep failed"));
    await sweepTokens(services).catch((error: unknown) => services.log.warn({ err: error }, "sweep failed"));
    await pause(INTERVAL_MS, stopping);
  }
}

async function sweepAndLog(services: Services): Promise<void> {
  const swept = await sweep(services);
  if (swept.locks + swept.vmids + swept.addresses > 0) {
    services.log.warn(swept, "orphaned resources released");
  }
}

/** Sweeps once. */
export async function sweep({ pool, clock }: Pick<Services, "pool" | "clock">): Promise<Swept> {
  const released = await releaseOrphaned(pool);
  const closedGuests = await closePorts(pool, clock.now());
  return { ...released, closedGuests, forwardsRepeated: await forwards.repeatFailed(pool) };
}

async function closePorts(pool: Services["pool"], now: Date): Promise<number> {
  return inTransaction(pool, async (client) => {
    const guestIds = await forwards.guestsLongGone(client, now);
    if (guestIds.length > 0) await forwards.withdraw(client, guestIds);
    return guestIds.length;
  });
}
