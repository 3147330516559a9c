// Repeats work that PostgreSQL aborted because of a deadlock.
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "../observability/log.js";

const DEADLOCK_DETECTED = "40P01";
/** Gives the other transaction time to end. */
const PAUSE_MS = 200;

/** Repeats a whole transaction until it ends without a deadlock. @throws its other errors */
export async function retryOnDeadlock<Result>(log: Logger, work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDeadlock(error)) throw error;
      log.warn({ err: error }, "deadlock with a concurrent transaction; retrying");
    }
    await delay(PAUSE_MS);
  }
}

const isDeadlock = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === DEADLOCK_DETECTED;
