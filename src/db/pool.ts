// The native connection pool: statements are counted, lost connections are logged, and 64-bit integers arrive as numbers.
import { Client, Pool, TypeOverrides, types, type ClientConfig } from "pg";
import type { Logger } from "../log.js";
import { sqlStatements } from "../metrics.js";

const STATEMENT_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_MS = 60_000;

/** A connection that counts its statements. */
export class CountedClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config);
    // `query` has many overloads: wrapping the bound method keeps them all.
    const query = this.query.bind(this);
    this.query = Object.assign((...given: Parameters<typeof query>) => {
      sqlStatements.inc();
      return query(...given);
    }, query);
  }
}

const INT8 = types.builtins.INT8;

/** A 64-bit integer as a number. @throws RangeError rather than losing digits */
function exactInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} does not fit into a number exactly`);
  return value;
}

/**
 * What all connections of the service have in common.
 * @param connectMs longest wait for a connection, be it new or another's turn; whoever asked is then told to come again
 */
export function connectionOptions(url: string, purpose: string, connectMs = CONNECT_TIMEOUT_MS): ClientConfig {
  return {
    connectionString: url,
    application_name: `drover ${purpose}`,
    keepAlive: true,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    connectionTimeoutMillis: connectMs,
  };
}

export interface PoolOptions {
  readonly url: string;
  /** Most connections at once. */
  readonly size: number;
  readonly log: Logger;
  readonly connectMs?: number;
}

/**
 * Opens the pool for reads and bulk writes. In its rows `bigint` (and `count(*)`) is a number, `timestamptz` a Date,
 * `numeric` and `inet` are text; reads that return `json` decide for themselves.
 */
export function openPool({ url, size, log, connectMs }: PoolOptions): Pool {
  const overrides = new TypeOverrides();
  overrides.setTypeParser(INT8, exactInteger);
  const pool = new Pool({
    ...connectionOptions(url, "pool", connectMs),
    types: overrides,
    max: size,
    idleTimeoutMillis: IDLE_MS,
    Client: CountedClient,
  });
  logLosses(pool, log);
  return pool;
}

/** Lost connections are replaced by the pool; without listeners they would end the process. */
export function logLosses(pool: Pool, log: Logger): void {
  pool.on("error", (error) => log.debug({ err: error }, "an idle database connection was lost"));
  pool.on("connect", (client) => {
    client.on("error", (error) => log.warn({ err: error }, "a database connection was lost"));
  });
}
