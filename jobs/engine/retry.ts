// Retries work while a host is away for a moment, or for as long as a lock of the platform may be waited for.
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

type RetryContext = Pick<StepContext, "signal" | "log" | "waiting" | "stopwatch" | "lockWaitMs">;

/**
 * Repeats work while what hinders it may pass, up to `patienceMs`. Where a lock of the platform may pass, it is waited for up to
 * the setting `lockWaitSeconds` from the first refusal on, if that is longer. @throws its last error
 */
export async function retryTransient<Result>(
  { signal, log, waiting, stopwatch, lockWaitMs }: RetryContext,
  { patienceMs, passing = PASSING, awaitsQuorum = false }: RetryBudget,
  work: () => Promise<Result>,
): Promise<Result> {
  const deadlineFor = deadlines(stopwatch.milliseconds() + patienceMs, lockWaitMs);
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      const result = await work();
      waiting.goesOn();
      return result;
    } catch (error) {
      signal.throwIfAborted();
      const mayPass = isPlatformError(error, ...passing) || (awaitsQuorum && isWithoutQuorum(error));
      const now = stopwatch.milliseconds();
      if (!mayPass || now + pauseMs > deadlineFor(error, now)) {
        waiting.goesOn();
        throw error;
      }
      log.info({ err: error }, "retrying after a transient fault");
      waiting.waits(error.message, pauseMs);
      await pauseUnlessAborted({ stopwatch, signal }, pauseMs);
    }
  }
}

/** @returns until when work is repeated that has failed with an error at a moment: a lock's time counts from its first refusal on */
function deadlines(usual: number, lockWaitMs: number): (error: Error, now: number) => number {
  let ofLock: number | null = null;
  return (error, now) => {
    if (!isPlatformError(error, PlatformReason.LOCKED)) return usual;
    ofLock ??= now + lockWaitMs;
    return Math.max(usual, ofLock);
  };
}

/**
 * Repeats work while a lock of the platform keeps it from being done, and for nothing else. Work that such a lock refuses has begun
 * nothing, or has removed what it had made. @throws its last error
 */
export const pastLocks = <Result>(context: RetryContext, work: () => Promise<Result>): Promise<Result> =>
  retryTransient(context, { patienceMs: 0, passing: [PlatformReason.LOCKED] }, work);
