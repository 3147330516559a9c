// Checks `MONGODB_URI` with the driver's own parser: lists of hosts, `mongodb+srv` and every option are what the driver takes, nothing else.
import type * as Driver from "mongodb";
import { createRequire } from "node:module";

/** Loaded only where the variable is set: the driver allocates 17 MB of buffers. */
const driver = (): typeof Driver => createRequire(import.meta.url)("mongodb");

const UNREADABLE =
  "cannot be read: its hosts are no list of host:port, or a user or password has : / ? # [ ] @ or % unencoded";

/** @returns what is wrong with it, without any part of a password; null when the driver takes it. Nothing is connected. */
export function faultOfMongodbUri(uri: string): string | null {
  const { MongoAPIError, MongoClient } = driver();
  try {
    const client = new MongoClient(uri);
    return client.options.hosts.length > 0 || client.options.srvHost !== undefined ? null : UNREADABLE;
  } catch (error) {
    // The driver's parser has an error of the same name as the driver's own. All others may show what was taken for a host.
    const isTold = error instanceof MongoAPIError || (error instanceof Error && error.name === "MongoParseError");
    return isTold ? `is no connection string of MongoDB: ${error.message}` : UNREADABLE;
  }
}
