// Connects to the job queue's MongoDB: waits for one that does not answer yet, and refuses a connection string that can never work.
import { setTimeout as delay } from "node:timers/promises";
import { MongoAPIError, MongoClient, MongoError, MongoParseError, MongoServerError } from "mongodb";
import { ConfigError } from "../../src/config/configError.js";
import type { Logger } from "../../src/observability/log.js";
import { throttle } from "../../src/concurrency/throttle.js";

/** A server that does not answer is given up: whoever needs it comes again, and nobody waits for long. */
const PATIENCE = {
  serverSelectionTimeoutMS: 5_000,
  connectTimeoutMS: 5_000,
  waitQueueTimeoutMS: 5_000,
  socketTimeoutMS: 30_000,
  maxPoolSize: 20,
} as const;
const PAUSE_MS = 1_000;
const SAY_AGAIN_MS = 10_000;

/** UserNotFound, Unauthorized, AuthenticationFailed, MechanismUnavailable, and Atlas's own refusal: the server answers, and goes on refusing. */
const REFUSED = new Set<number | string | undefined>([11, 13, 18, 334, 8000]);
/** The driver's complaint about a name that has no servers at present. */
const NO_SERVERS = /^No addresses found at host/;

export interface MongoWait {
  readonly log: Logger;
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Connects and opens what is needed there, again and again while the server is away or its name cannot be resolved.
 * @throws ConfigError when `MONGODB_URI` has to be corrected, such as a wrong password; the signal's reason
 */
export async function reachMongo<Opened>(
  uri: string,
  { log, signal }: MongoWait,
  open: (client: MongoClient) => Promise<Opened>,
): Promise<Opened> {
  const warn = throttle<unknown>(SAY_AGAIN_MS, (error, more) =>
    log.warn({ reason: messageOf(error), more }, "waiting for the job queue's MongoDB (MONGODB_URI)"),
  );
  for (;;) {
    const client = new MongoClient(uri, PATIENCE);
    try {
      return await open(await client.connect());
    } catch (error) {
      await client.close();
      if (!isAway(error)) throw refusal(error);
      warn(error);
    }
    signal?.throwIfAborted();
    await delay(PAUSE_MS, undefined, { signal });
  }
}

/** Whether trying again later can help. */
function isAway(error: unknown): boolean {
  if (error instanceof MongoServerError) return !REFUSED.has(error.code);
  if (error instanceof MongoAPIError) return NO_SERVERS.test(error.message);
  if (error instanceof MongoError) return !(error instanceof MongoParseError);
  return isUnresolved(error);
}

/** Whether a name server did not answer, or does not know the name of `mongodb+srv` yet. */
const isUnresolved = (error: unknown): boolean =>
  error instanceof Error &&
  "syscall" in error &&
  /^query(Srv|Txt)$/.test(String(error.syscall)) &&
  "code" in error &&
  error.code !== "EBADNAME";

/** Whether the service has to be given another connection string: of anything else nobody knows. */
function refusal(error: unknown): unknown {
  const isFile = error instanceof Error && "path" in error;
  const isName = error instanceof Error && "syscall" in error;
  if (!(error instanceof MongoError) && !isFile && !isName) return error;
  return new ConfigError(`MONGODB_URI: MongoDB cannot be used for the job queue: ${messageOf(error)}`, {
    cause: error,
  });
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
