// The service's way to its database: a native pool for reads, and units of work for what is written.
import { MikroORM, type EntityManager } from "@mikro-orm/postgresql";
import type { Pool } from "pg";
import { connectionOptions, CountedClient, logLosses, openPool } from "./db/pool.js";
import { entities } from "./entities/index.js";
import type { Logger } from "./log.js";

const READ_CONNECTIONS = 12;
const WRITE_CONNECTIONS = 8;

/** An open database. */
export interface Database {
  readonly pool: Pool;
  /** A fresh unit of work. */
  entities(): EntityManager;
  /** Waits for statements that run, then closes all connections. */
  close(): Promise<void>;
}

/** Opens pool and units of work; connects only when something is asked. The schema must be up to date. */
export async function openDatabase(
  url: string,
  log: Logger,
  { connectMs }: { readonly connectMs?: number } = {},
): Promise<Database> {
  const pool = openPool({ url, size: READ_CONNECTIONS, log, ...(connectMs !== undefined && { connectMs }) });
  const orm = await MikroORM.init({
    clientUrl: url,
    entities,
    driverOptions: {
      ...connectionOptions(url, "units of work", connectMs),
      Client: CountedClient,
      onPoolCreated: (own: Pool) => logLosses(own, log),
    },
    pool: { min: 0, max: WRITE_CONNECTIONS },
    logger: (message) => log.debug(message),
    colors: false,
  });
  return {
    pool,
    entities: () => orm.em.fork(),
    async close() {
      await Promise.all([pool.end(), orm.close()]);
    },
  };
}
