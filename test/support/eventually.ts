// Waits for what happens in the background.
import { setTimeout as delay } from "node:timers/promises";

/** A net, not a check: how long something takes is no matter of these tests. */
const PATIENCE_MS = 120_000;
const BETWEEN_LOOKS_MS = 20;

/** Repeats `check` until it no longer throws; after two minutes, or `patienceMs`, its last error is thrown. */
export async function eventually(check: () => Promise<void>, patienceMs = PATIENCE_MS): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await delay(BETWEEN_LOOKS_MS);
    }
  }
}
