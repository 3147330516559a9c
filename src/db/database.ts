// Opens the database: a connection pool for requests, one for background work, and MikroORM on the first of them.
import { MikroORM, type EntityManager } from "@mikro-orm/postgresql";
import type { Pool } from "pg";
import { openPool, type Timeouts } from "./pool.js";
import { shareConnections } from "./sharedConnections.js";
import { unitOfWorkDialect } from "./unitOfWorkDialect.js";
import { entities } from "../entities/index.js";
import type { Logger } from "../observability/log.js";

/** Connections for requests and units of work. */
export const REQUEST_CONNECTIONS = 13;
const WORK_CONNECTIONS = 7;

/** An open database. */
export interface Database {
  /** For requests and units of work: a caller waits for the answer. */
  readonly pool: Pool;
  /** For jobs, syncs and deferred writes, so that requests cannot starve them of connections. */
  readonly workPool: Pool;
  /** A fresh MikroORM unit of work. */
  entities(): EntityManager;
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

/** Opens the pools and MikroORM; the first statement makes the first connection. The schema must be up to date. */
export async function openDatabase(
  url: string,
  log: Logger,
  { requests, work, clockOffsetSeconds }: DatabaseOptions,
): Promise<Database> {
  const shared = { url, log, clockOffsetSeconds };
  const pool = openPool({ ...shared, purpose: "requests", size: REQUEST_CONNECTIONS, patience: requests });
  shareConnections(pool, { size: REQUEST_CONNECTIONS, longestMs: requests.connectMs });
  const workPool = openPool({ ...shared, purpose: "work", size: WORK_CONNECTIONS, patience: work });
  const orm = await MikroORM.init({
    clientUrl: url,
    entities,
    driverOptions: unitOfWorkDialect(pool),
    logger: (message) => log.debug(message),
    colors: false,
  });
  return {
    pool,
    workPool,
    entities: () => orm.em.fork(),
    async close() {
      await orm.close();
      await Promise.all([pool.end(), workPool.end()]);
    },
  };
}
