// Repeats a part of the start until the database is available again.
import { setTimeout as delay } from "node:timers/promises";
import { isDatabaseTrouble } from "./databaseTrouble.js";
import type { Logger } from "../observability/log.js";

const PAUSE_MS = 1_000;

export interface DatabaseWait {
  readonly log: Logger;
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined;
}

/** Repeats work that may be done twice while the database cannot serve. @throws its other errors; the signal's reason */
export async function untilServed<Result>({ log, signal }: DatabaseWait, work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseTrouble(error)) throw error;
      log.warn({ err: error }, "the database went away during the start: waiting for it");
    }
    await delay(PAUSE_MS, undefined, { signal });
  }
}
