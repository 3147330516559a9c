// Reads back a record that a mutation has just changed: the change is done, and reported even if the database is lost in between.
import { setTimeout as delay } from "node:timers/promises";
import { databaseTrouble } from "../src/db/databaseTrouble.js";

/** A lost connection is replaced at once, a server that is restarted takes a little longer. */
const PAUSES_MS = [50, 500, 2_000];

/** Repeats a reading while the database is away, for some seconds. @throws its last error */
export async function readChanged<Found>(read: () => Promise<Found>): Promise<Found> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await read();
    } catch (error) {
      if (!mayPass(error)) throw error;
    }
    await delay(pauseMs);
  }
  return read();
}

function mayPass(error: unknown): boolean {
  const trouble = databaseTrouble(error);
  return trouble === "away" || trouble === "unable";
}
