// Makes the reservations of one host that arrive together in one go: one lock, one look at the host, one commit.
import type { Pool } from "pg";
import { isDatabaseTrouble } from "../db/databaseTrouble.js";
import { HostBatches } from "../concurrency/hostBatches.js";
import type { ReservationRequest, QueuedGuest } from "./creation.js";
import { isOvertaken, unlessOvertaken } from "./overtaken.js";
import { reserveTogether, type Reservation } from "./reserveTogether.js";

/** Reservations of one host are made one after the other: more batches at once would only wait for its lock. */
const LIMITS = { atOnce: 1, largest: 64, mostWaiting: 2_000 };

const batches = new HostBatches(reserveAll, LIMITS);

/** Has the guest reserved on the host, with those that are asked for at the same time. @throws DroverError */
export async function reserveOn(hostId: number, asked: ReservationRequest): Promise<QueuedGuest | null> {
  const outcome = await batches.add(asked.context.pool, hostId, asked);
  if (outcome instanceof Error) throw outcome;
  return outcome;
}

async function reserveAll(
  pool: Pool,
  hostId: number,
  asked: readonly ReservationRequest[],
): Promise<(one: ReservationRequest) => Reservation> {
  const [first, ...others] = asked;
  if (first === undefined) return () => null;
  try {
    return outcomesOf(asked, await reserveTogether(pool, hostId, [first, ...others]));
  } catch (error) {
    if (isDatabaseTrouble(error)) throw error;
    if (others.length === 0 && !isOvertaken(error)) throw error;
    return outcomesOf(asked, await reserveOneByOne(pool, hostId, asked));
  }
}

/** One that cannot be reserved fails all that are reserved with it: alone each has an outcome of its own. */
async function reserveOneByOne(
  pool: Pool,
  hostId: number,
  asked: readonly ReservationRequest[],
): Promise<Reservation[]> {
  const outcomes: Reservation[] = [];
  for (const one of asked) {
    const outcome = await reserveAlone(pool, hostId, one).catch((error: unknown) => [asError(error)]);
    outcomes.push(...outcome);
  }
  return outcomes;
}

const reserveAlone = (pool: Pool, hostId: number, one: ReservationRequest): Promise<Reservation[]> =>
  unlessOvertaken(() => reserveTogether(pool, hostId, [one]));

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

function outcomesOf(
  asked: readonly ReservationRequest[],
  outcomes: readonly Reservation[],
): (one: ReservationRequest) => Reservation {
  const known = new Map(asked.map((one, index) => [one, outcomes[index] ?? null]));
  return (one) => known.get(one) ?? null;
}
