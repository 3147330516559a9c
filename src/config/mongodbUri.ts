// Validates `MONGODB_URI` with the driver's own parser, so that exactly the driver's forms are accepted: host lists, `mongodb+srv`, every option.
import type * as Driver from "mongodb";
import { createRequire } from "node:module";

/** Loaded only where the variable is set: the driver allocates 17 MB of buffers. */
const driver = (): typeof Driver => createRequire(import.meta.url)("mongodb");

const UNREADABLE =
  "cannot be read: its hosts are no list of host:port, or a user or password has : / ? # [ ] @ or % unencoded";

/** @returns the fault, without any part of a password; null when the driver accepts the URI. Opens no connection. */
export function faultOfMongodbUri(uri: string): string | null {
  const { MongoAPIError, MongoClient } = driver();
  try {
    const client = new MongoClient(uri);
    return client.options.hosts.length > 0 || client.options.srvHost !== undefined ? null : UNREADABLE;
  } catch (error) {
    // The parser's error class has the driver's name but is another class. Other errors may quote a misparsed password as a host.
    const isSafeToShow = error instanceof MongoAPIError || (error instanceof Error && error.name === "MongoParseError");
    return isSafeToShow ? `is no connection string of MongoDB: ${error.message}` : UNREADABLE;
  }
}
