// Waits for a condition that comes about in the background.
import { setTimeout as delay } from "node:timers/promises";
import { inspect } from "node:util";

/** A net, not a check: how long something takes is no matter of these tests. */
const PATIENCE_MS = 120_000;
const BETWEEN_LOOKS_MS = 5;

/**
 * Looks until what it sees is neither false nor missing.
 * @param what comes about then, in words
 * @returns what it saw then
 * @throws after two minutes, with what was waited for and what it saw last
 */
export async function until<Seen>(what: string, look: () => Seen | Promise<Seen>): Promise<NonNullable<Seen>> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const seen = await look();
    if (seen !== false && seen !== undefined && seen !== null) return seen;
    if (performance.now() > deadline) throw new Error(`still waiting until ${what}; seen last: ${inspect(seen)}`);
    await delay(BETWEEN_LOOKS_MS);
  }
}
