// Retries work while a host is away for a moment or a guest is locked for a moment.
import { pauseUnlessAborted } from "../../src/concurrency/pause.js";
import { isPlatformError, isWithoutQuorum, PlatformReason } from "../../src/hypervisor/platformError.js";
import type { StepContext } from "./step.js";

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;

/** What may pass by itself, before anything has come of the work. */
const PASSING: readonly PlatformReason[] = [
  PlatformReason.UNREACHABLE,
  PlatformReason.AUTHENTICATION,
  PlatformReason.FAILED,
  PlatformReason.NOT_STARTED,
  PlatformReason.UNINTELLIGIBLE,
  PlatformReason.LOCKED,
];

/** What may pass for work that can be done twice. */
export const PASSING_FOR_REPEATABLE: readonly PlatformReason[] = [
  ...PASSING,
  PlatformReason.UNCERTAIN,
  PlatformReason.CHANGED,
];

/** What may pass for such work when giving it up halfway would cost more than waiting: a host's refusals too. */
export const PASSING_HALFWAY: readonly PlatformReason[] = [
  ...PASSING_FOR_REPEATABLE,
  PlatformReason.REFUSED,
  PlatformReason.FORBIDDEN,
];

interface RetryBudget {
  readonly patienceMs: number;
  readonly passing?: readonly PlatformReason[];
  /** Whether a cluster that has no quorum for the moment is waited for too. Default: it fails at once. */
  readonly awaitsQuorum?: boolean;
}

/** Repeats work while what hinders it may pass, up to `patienceMs`. @throws its last error */
export async function retryTransient<Result>(
  { signal, log, waiting, stopwatch }: Pick<StepContext, "signal" | "log" | "waiting" | "stopwatch">,
  { patienceMs, passing = PASSING, awaitsQuorum = false }: RetryBudget,
  work: () => Promise<Result>,
): Promise<Result> {
  const deadline = stopwatch.milliseconds() + patienceMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      const result = await work();
      waiting.goesOn();
      return result;
    } catch (error) {
      signal.throwIfAborted();
      const mayPass = isPlatformError(error, ...passing) || (awaitsQuorum && isWithoutQuorum(error));
      if (!mayPass || stopwatch.milliseconds() + pauseMs > deadline) {
        waiting.goesOn();
        throw error;
      }
      log.info({ err: error }, "retrying after a transient fault");
      waiting.waits(error.message, pauseMs);
      await pauseUnlessAborted({ stopwatch, signal }, pauseMs);
    }
  }
}
