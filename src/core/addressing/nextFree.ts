// Chooses the next free address of a zone in constant time, however large the zone and however many addresses are taken.
import { firstAssignable, type Zone } from "./zone.js";

/**
 * What has to be known of the addresses in use. Addresses are handed out in ascending order up to the frontier; one
 * that comes back lies below it and is handed out again first. So the next free address is always the lowest one, found
 * by two look-ups: the lowest that came back, else the frontier.
 */
export interface ZoneUse {
  /** Below it every assignable address has been handed out; 0 in a new zone. */
  readonly frontier: bigint;
  /** The lowest address below the frontier that is free again; null when there is none. */
  readonly released: bigint | null;
  /** Addresses at or after the frontier that are taken all the same, by guests that were found with them; ascending. */
  readonly takenAhead: readonly bigint[];
}

/** The address to hand out, and the frontier afterwards. */
export interface Assignment {
  readonly address: bigint;
  readonly frontier: bigint;
}

/** @returns the lowest free address, or null when the zone is full. */
export function nextFree(zone: Zone, { frontier, released, takenAhead }: ZoneUse): Assignment | null {
  if (released !== null) return { address: released, frontier };
  let candidate = firstAssignable(zone, frontier);
  for (const taken of takenAhead) {
    if (candidate === null || taken > candidate) break;
    if (taken === candidate) candidate = firstAssignable(zone, taken + 1n);
  }
  return candidate === null ? null : { address: candidate, frontier: candidate + 1n };
}
