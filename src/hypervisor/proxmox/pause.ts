// Waits between two attempts, as long as anybody still wants the next one.
import type { Stopwatch } from "../../concurrency/stopwatch.js";

/** @throws the signal's reason when it aborts */
export async function pauseUnlessAborted(
  milliseconds: number,
  { stopwatch, signal }: { readonly stopwatch: Stopwatch; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  signal?.throwIfAborted();
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = (): void => resolve();
  const cancel = stopwatch.after(milliseconds, end);
  signal?.addEventListener("abort", end);
  await promise;
  cancel();
  signal?.removeEventListener("abort", end);
  signal?.throwIfAborted();
}
