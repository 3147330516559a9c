// Waits for a time, or for less when there is no more reason to wait.
import { setTimeout as delay } from "node:timers/promises";
import type { Stopwatch } from "./stopwatch.js";

/**
 * Resolves when the time is up, or early when the signal aborts.
 * @param options `ref: false` lets the process end meanwhile
 */
export async function pause(milliseconds: number, signal: AbortSignal, options: { ref?: boolean } = {}): Promise<void> {
  await delay(milliseconds, undefined, { ...options, signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

/** What a wait that can be moved by hand goes by. */
export interface Pausing {
  readonly stopwatch: Stopwatch;
  /** Ends it early. */
  readonly signal?: AbortSignal | undefined;
}

/** Resolves when the time is up by the stopwatch, or early when the signal aborts. */
export async function pauseBy({ stopwatch, signal }: Pausing, milliseconds: number): Promise<void> {
  if (signal?.aborted === true) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = (): void => resolve();
  const cancel = stopwatch.after(milliseconds, end);
  signal?.addEventListener("abort", end);
  await promise;
  cancel();
  signal?.removeEventListener("abort", end);
}

/** Waits between two attempts, as long as anybody still wants the next one. @throws the signal's reason when it aborts */
export async function pauseUnlessAborted(pausing: Pausing, milliseconds: number): Promise<void> {
  await pauseBy(pausing, milliseconds);
  pausing.signal?.throwIfAborted();
}
