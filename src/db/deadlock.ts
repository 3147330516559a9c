// Repeats work that PostgreSQL aborted because of a deadlock.
import pRetry from "p-retry";
import type { Logger } from "../observability/log.js";

const DEADLOCK_DETECTED = "40P01";
/** Gives the other transaction time to end. */
const PAUSE_MS = 200;

/** Repeats a whole transaction until it ends without a deadlock. @throws its other errors */
export const retryOnDeadlock = <Result>(log: Logger, work: () => Promise<Result>): Promise<Result> =>
  pRetry(work, {
    retries: Number.POSITIVE_INFINITY,
    minTimeout: PAUSE_MS,
    factor: 1,
    shouldRetry({ error }) {
      if (!isDeadlock(error)) return false;
      log.warn({ err: error }, "deadlock with a concurrent transaction; retrying");
      return true;
    },
  });

const isDeadlock = (error: Error): boolean => "code" in error && error.code === DEADLOCK_DETECTED;
