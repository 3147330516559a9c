// Repeats the reads of subscriptions through outages of the database: an update comes late rather than never.
import { setTimeout as delay } from "node:timers/promises";
import { isDatabaseTrouble } from "../src/db/databaseTrouble.js";
import type { ChangedIds } from "./changedIds.js";

/** Subscriptions are spread, so that they do not all retry at the same moment. */
const LEAST_PAUSE_MS = 500;
const SPREAD_MS = 1_000;

/** Repeats a reading while the database cannot serve. @returns null when the subscription has ended @throws its other errors */
export async function readWithRetry<Found>(changed: ChangedIds, read: () => Promise<Found>): Promise<Found | null> {
  while (!changed.closed) {
    try {
      return await read();
    } catch (error) {
      if (!isDatabaseTrouble(error)) throw error;
    }
    await delay(LEAST_PAUSE_MS + Math.random() * SPREAD_MS, undefined, { ref: false });
  }
  return null;
}
