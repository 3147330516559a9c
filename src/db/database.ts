// Opens the database: a connection pool for requests, and one for background work.
import type { Pool } from "pg";
import { openPool, type Timeouts } from "./pool.js";
import { shareConnections } from "./sharedConnections.js";
import type { Logger } from "../observability/log.js";

/** Connections for requests. */
export const REQUEST_CONNECTIONS = 13;
const WORK_CONNECTIONS = 7;

/** An open database. */
export interface Database {
  /** For requests: a caller waits for the answer. */
  readonly pool: Pool;
  /** For jobs, syncs and deferred writes, so that requests cannot starve them of connections. */
  readonly workPool: Pool;
  /** Waits for running statements, then closes all connections. */
  close(): Promise<void>;
}

interface DatabaseOptions {
  /** Time-outs of requests. */
  readonly requests: Timeouts;
  /** Time-outs of background work. */
  readonly work: Timeouts;
  /** How far the service's clock is ahead of the machine's, seconds. Default: 0. */
  readonly clockOffsetSeconds?: number;
}

/** Opens the pools; the first statement makes the first connection. The schema must be up to date. */
export function openDatabase(
  url: string,
  log: Logger,
  { requests, work, clockOffsetSeconds }: DatabaseOptions,
): Database {
  const shared = { url, log, clockOffsetSeconds };
  const pool = openPool({ ...shared, purpose: "requests", size: REQUEST_CONNECTIONS, patience: requests });
  shareConnections(pool, { size: REQUEST_CONNECTIONS, longestMs: requests.connectMs });
  const workPool = openPool({ ...shared, purpose: "work", size: WORK_CONNECTIONS, patience: work });
  return {
    pool,
    workPool,
    async close() {
      await Promise.all([pool.end(), workPool.end()]);
    },
  };
}
