// Waits between two attempts, as long as anybody still wants the next one.
import { setTimeout as pause } from "node:timers/promises";

/** @throws the signal's reason when it aborts */
export async function pauseUnlessAborted(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await pause(milliseconds, undefined, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
