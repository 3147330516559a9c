// Waits for hosts that are away for a moment and for guests that are locked for a moment.
import { setTimeout as delay } from "node:timers/promises";
import { isPlatformError, PlatformReason } from "../../src/hypervisor/platformError.js";
import type { World } from "../step.js";

export interface Patience {
  readonly attempts: number;
  readonly betweenMs: number;
}

/** Repeats work that nothing came of, because the host was away or the guest locked. @throws what the last attempt threw */
export async function patiently<Result>(
  world: World,
  { attempts, betweenMs }: Patience,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      world.signal.throwIfAborted();
      const isPassing = isPlatformError(
        error,
        PlatformReason.UNREACHABLE,
        PlatformReason.FAILED,
        PlatformReason.LOCKED,
      );
      if (!isPassing || attempt >= attempts) throw error;
      world.log.warn({ err: error, attempt }, "the platform is waited for");
      await delay(betweenMs, undefined, { signal: world.signal });
    }
  }
}
