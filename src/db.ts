// Opens the database: a connection pool for requests, one for background work, and MikroORM for what people write.
import { MikroORM, type EntityManager } from "@mikro-orm/postgresql";
import type { Pool } from "pg";
import { boundWaiting, connectionOptions, CountedClient, logLosses, openPool, type Patience } from "./db/pool.js";
import { entities } from "./entities/index.js";
import type { Logger } from "./log.js";

const REQUEST_CONNECTIONS = 10;
const WORK_CONNECTIONS = 7;
const WRITE_CONNECTIONS = 3;

/** An open database. */
export interface Database {
  /** For whoever waits for an answer. */
  readonly pool: Pool;
  /** For jobs, syncs and what is written down behind answers: requests in any number do not keep them from a connection. */
  readonly workPool: Pool;
  /** A fresh unit of work. */
  entities(): EntityManager;
  /** Waits for statements that run, then closes all connections. */
  close(): Promise<void>;
}

/** How long requests wait, and how long work does. */
interface DatabasePatience {
  readonly requests: Patience;
  readonly work: Patience;
}

/** Opens pools and units of work; connects only when something is asked. The schema must be up to date. */
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
