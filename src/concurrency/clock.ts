// The only clock of the service: everything that reads the time goes through it, so that tests and trials can shift it.

/** The present time. Trials shift it with `DROVER_CLOCK_OFFSET_SECONDS`; tests pass a fixed one. */
export interface Clock {
  /** The present, UTC. */
  now(): Date;
  /** How far this clock is ahead of the machine's, seconds; so far SQL's `service_now()` is ahead of the database's `now()`. */
  readonly offsetSeconds: number;
}

/** The machine's own time, to be compared with that of hosts: they know nothing of a shifted clock. */
export const machineTime = (clock: Clock): Date => new Date(clock.now().getTime() - clock.offsetSeconds * 1000);

/** The machine's clock, shifted by whole or fractional seconds. */
export function systemClock(offsetSeconds = 0): Clock {
  return { offsetSeconds, now: () => new Date(Date.now() + offsetSeconds * 1000) };
}
