// Retries a part of the start until the database is available.
import { setTimeout as delay } from "node:timers/promises";
import { isDatabaseTrouble } from "./databaseTrouble.js";
import type { Logger } from "../observability/log.js";

const PAUSE_MS = 1_000;

export interface DatabaseWait {
  readonly log: Logger;
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined;
}

/** Retries idempotent work while the database cannot serve. @throws its other errors; the signal's reason */
export async function retryUntilAvailable<Result>(
  { log, signal }: DatabaseWait,
  work: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseTrouble(error)) throw error;
      log.warn({ err: error }, "database unavailable during the start; waiting");
    }
    await delay(PAUSE_MS, undefined, { signal });
  }
}
