// Retries a part of the start until the database is available.
import pRetry from "p-retry";
import { isDatabaseTrouble } from "./databaseTrouble.js";
import type { Logger } from "../observability/log.js";

const PAUSE_MS = 1_000;

export interface DatabaseWait {
  readonly log: Logger;
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined;
}

/** Retries idempotent work while the database cannot serve. @throws its other errors; the signal's reason */
export const retryUntilAvailable = <Result>(
  { log, signal }: DatabaseWait,
  work: () => Promise<Result>,
): Promise<Result> =>
  pRetry(work, {
    retries: Number.POSITIVE_INFINITY,
    minTimeout: PAUSE_MS,
    factor: 1,
    signal,
    shouldRetry({ error }) {
      if (!isDatabaseTrouble(error)) return false;
      log.warn({ err: error }, "database unavailable during the start; waiting");
      return true;
    },
  });
