// Decides how long to wait after repeated failures before the service is tried again.
const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;

/**
 * Milliseconds to wait after `failures` (1 or more) failures in a row: doubling from one second to thirty, spread
 * over the upper half, so that thousands of agents do not return to a restarted service at the same moment.
 */
export function backOffMs(failures: number, random: () => number = Math.random): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 16));
  return Math.round(full * (0.5 + random() / 2));
}
