// Repeats work that PostgreSQL aborted because of a deadlock.
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "../observability/log.js";

const DEADLOCK_DETECTED = "40P01";
/** Time for the other transaction to end. */
const PAUSE_MS = 200;

/** Repeats a whole transaction until it meets no deadlock. @throws its other errors */
export async function untilNoDeadlock<Result>(log: Logger, work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDeadlock(error)) throw error;
      log.warn({ err: error }, "a deadlock with others who use the database: trying again");
    }
    await delay(PAUSE_MS);
  }
}

const isDeadlock = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === DEADLOCK_DETECTED;
