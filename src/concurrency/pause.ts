// Waits for a time, or for less when there is no more reason to wait.
import { setTimeout as delay } from "node:timers/promises";

/**
 * Resolves when the time is up, or early when the signal aborts.
 * @param options `ref: false` lets the process end meanwhile
 */
export async function pause(milliseconds: number, signal: AbortSignal, options: { ref?: boolean } = {}): Promise<void> {
  await delay(milliseconds, undefined, { ...options, signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
