// Opens the database: a connection pool for requests, one for background work, and MikroORM for what people write.
import { MikroORM, type EntityManager } from "@mikro-orm/postgresql";
import type { Pool } from "pg";
import {
  boundWaiting,
  connectionOptions,
  CountedClient,
  giveBackLost,
  logLosses,
  openPool,
  type Patience,
} from "./db/pool.js";
import { entities } from "./entities/index.js";
import type { Logger } from "./log.js";

const REQUEST_CONNECTIONS = 10;
const WORK_CONNECTIONS = 7;
const WRITE_CONNECTIONS = 3;

/** An open database. */
export interface Database {
  /** For requests, whose callers wait for an answer. */
  readonly pool: Pool;
  /** For jobs, syncs and writes after an answer, so that no number of requests can keep them from a connection. */
  readonly workPool: Pool;
  /** A fresh MikroORM unit of work. */
  entities(): EntityManager;
  /** Waits for running statements, then closes all connections. */
  close(): Promise<void>;
}

/** How long requests wait, and how long work does. */
interface DatabasePatience {
  readonly requests: Patience;
  readonly work: Patience;
}

/** Opens the pools and MikroORM; a connection is made with the first statement. The schema must be up to date. */
export async function openDatabase(url: string, log: Logger, patience: DatabasePatience): Promise<Database> {
  const { requests, work } = patience;
  const pool = openPool({ url, purpose: "requests", size: REQUEST_CONNECTIONS, log, patience: requests });
  const workPool = openPool({ url, purpose: "work", size: WORK_CONNECTIONS, log, patience: work });
  const orm = await MikroORM.init({
    clientUrl: url,
    entities,
    driverOptions: {
      ...connectionOptions(url, "units of work", requests),
      Client: CountedClient,
      onPoolCreated(own: Pool) {
        boundWaiting(own);
        giveBackLost(own);
        logLosses(own, log);
      },
    },
    pool: { min: 0, max: WRITE_CONNECTIONS },
    logger: (message) => log.debug(message),
    colors: false,
  });
  return {
    pool,
    workPool,
    entities: () => orm.em.fork(),
    async close() {
      await Promise.all([pool.end(), workPool.end(), orm.close()]);
    },
  };
}
