// Connects to MongoDB, and waits for one that does not answer yet.
import { setTimeout as delay } from "node:timers/promises";
import { MongoClient, MongoNetworkError, MongoServerSelectionError } from "mongodb";
import type { Logger } from "../src/log.js";

/** A server that does not answer is given up: whoever needs it comes again, and nobody waits for long. */
const PATIENCE = {
  serverSelectionTimeoutMS: 5_000,
  connectTimeoutMS: 5_000,
  waitQueueTimeoutMS: 5_000,
  socketTimeoutMS: 30_000,
  maxPoolSize: 20,
} as const;
const PAUSE_MS = 1_000;

export interface MongoWait {
  readonly log: Logger;
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined;
}

/** @throws Error when the server refuses, such as a wrong password; the signal's reason */
export async function reachMongo(uri: string, { log, signal }: MongoWait): Promise<MongoClient> {
  for (;;) {
    const client = new MongoClient(uri, PATIENCE);
    try {
      return await client.connect();
    } catch (error) {
      await client.close();
      if (!isAway(error)) throw error;
      log.warn({ reason: error.message }, "waiting for the job queue's MongoDB");
    }
    signal?.throwIfAborted();
    await delay(PAUSE_MS, undefined, { signal });
  }
}

const isAway = (error: unknown): error is Error =>
  error instanceof MongoServerSelectionError || error instanceof MongoNetworkError;
