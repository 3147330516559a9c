// The one clock of the service: every reading of the present goes through it, so that staleness and expiry can be tried.

/** Tells the present. Trials shift it with `DROVER_CLOCK_OFFSET_SECONDS`; tests pass a fixed one. */
export interface Clock {
  /** The present, UTC. */
  now(): Date;
  /** How far this clock is ahead of the machine's, seconds; SQL adds it to the database's `now()`. */
  readonly offsetSeconds: number;
}

/** The machine's clock, shifted by whole or fractional seconds. */
export function systemClock(offsetSeconds = 0): Clock {
  return { offsetSeconds, now: () => new Date(Date.now() + offsetSeconds * 1000) };
}
