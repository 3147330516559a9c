// Finds the database that the configuration names, or the embedded one, together with the key of its stored secrets.
import { join } from "node:path";
import type { Config } from "../config/config.js";
import type { Logger } from "../observability/log.js";
import { borrowEmbeddedPostgres, startEmbeddedPostgres } from "./embedded.js";
import { keptSecret } from "./embedded/keptSecret.js";
import { waitForDatabase, type Wait } from "./wait.js";

/** A database that accepts connections. */
export interface ReachedDatabase {
  readonly url: string;
  /** 32 bytes in base64. */
  readonly secret: string;
  /** Stops the embedded server; leaves an external one alone. */
  stop(): Promise<void>;
}

/**
 * The service owns the embedded server and keeps it alive; a command borrows it.
 * @throws ConfigError when the database refuses for good; Error when it does not answer in time
 */
export async function reachDatabase(
  config: Config,
  use: "own" | "borrow",
  wait: Wait & { readonly log: Logger },
): Promise<ReachedDatabase> {
  const { databaseUrl, dataDirectory, databasePort: port, secret } = config;
  if (databaseUrl !== undefined) {
    if (secret === undefined) throw new Error("DROVER_SECRET is needed with DATABASE_URL");
    await waitForDatabase(databaseUrl, wait);
    return { url: databaseUrl, secret, stop: () => Promise.resolve() };
  }
  const start = use === "own" ? startEmbeddedPostgres : borrowEmbeddedPostgres;
  const embedded = await start({ dataDirectory, port, log: wait.log });
  try {
    const kept = secret ?? (await keptSecret(join(dataDirectory, "secret")));
    return { url: embedded.url, secret: kept, stop: () => embedded.stop() };
  } catch (error) {
    await embedded.stop();
    throw error;
  }
}
