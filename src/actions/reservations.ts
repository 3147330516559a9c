// Has reservations of one host that arrive together made together: one lock, one look at the host, one commit for all of them.
import type { Pool } from "pg";
import { isDatabaseTrouble } from "../access/databaseTrouble.js";
import { MicroBatches } from "../microBatches.js";
import { reserveTogether, type Asked, type Outcome } from "./reserveTogether.js";

/** Reservations of one host are made one after the other: more batches at once would only wait for its lock. */
const LIMITS = { atOnce: 1, largest: 64, mostWaiting: 2_000 };

type Reservations = MicroBatches<Asked, Outcome>;

/** Of each database; a host costs a few hundred bytes. */
const ofDatabases = new WeakMap<Pool, Map<number, Reservations>>();

/** @returns where reservations of the host are asked for. */
export function reservationsOf(pool: Pool, hostId: number): Reservations {
  const ofHosts = ofDatabases.get(pool) ?? new Map<number, Reservations>();
  ofDatabases.set(pool, ofHosts);
  const known = ofHosts.get(hostId) ?? new MicroBatches((asked) => reserveAll(pool, hostId, asked), LIMITS);
  ofHosts.set(hostId, known);
  return known;
}

async function reserveAll(pool: Pool, hostId: number, asked: readonly Asked[]): Promise<(one: Asked) => Outcome> {
  const [first, ...others] = asked;
  if (first === undefined) return () => null;
  try {
    return outcomesOf(asked, await reserveTogether(pool, hostId, [first, ...others]));
  } catch (error) {
    if (others.length === 0 || isDatabaseTrouble(error)) throw error;
    return outcomesOf(asked, await reserveOneByOne(pool, hostId, asked));
  }
}

/** One that cannot be reserved fails all that are reserved with it: alone each has an outcome of its own. */
async function reserveOneByOne(pool: Pool, hostId: number, asked: readonly Asked[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const one of asked) {
    const outcome = await reserveTogether(pool, hostId, [one]).catch((error: unknown) => [asError(error)]);
    outcomes.push(...outcome);
  }
  return outcomes;
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

function outcomesOf(asked: readonly Asked[], outcomes: readonly Outcome[]): (one: Asked) => Outcome {
  const known = new Map(asked.map((one, index) => [one, outcomes[index] ?? null]));
  return (one) => known.get(one) ?? null;
}
