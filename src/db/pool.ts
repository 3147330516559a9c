// The native connection pools: waiting is bounded, statements are timed and counted, and 64-bit integers arrive as numbers.
import { Client, Pool, TypeOverrides, types, type ClientConfig, type PoolClient } from "pg";
import type { Logger } from "../observability/log.js";
import { databaseRefusals, sqlStatements } from "../observability/metrics.js";

const IDLE_MS = 60_000;
/** How much later than the server this side gives a statement up: then the server itself no longer answers. */
const ANSWER_MS = 5_000;
/** As many may wait for a connection; whoever comes beyond is told at once. */
const MOST_WAITING = 2_000;
/** What the driver says when an answer did not come in time. */
const SILENT = "Query read timeout";
/** `read_only_sql_transaction` */
const READ_ONLY = "25006";

/** A connection that counts its statements, and that ends when it is of no more use. */
export class CountedClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config);
    // `query` has many overloads: wrapping the bound method keeps them all.
    const query = this.query.bind(this);
    this.query = Object.assign((...given: Parameters<typeof query>) => {
      sqlStatements.inc();
      const answer: unknown = query(...given);
      if (answer instanceof Promise) answer.catch((error: unknown) => isUseless(error) && void this.end());
      return answer;
    }, query);
  }
}

/**
 * Whether the connection that the error came from will not do better: its server is silent, or has become a standby while
 * another took over. A pool makes a new one in its place.
 */
function isUseless(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === READ_ONLY || (error instanceof Error && error.message === SILENT);
}

const EDGE = /^(?:begin|start transaction|rollback|listen)\b(?! to\b)/i;

/**
 * Gives a connection back on which a transaction could not be begun or rolled back, or listening could not begin: Kysely, which
 * MikroORM uses, and Agenda would keep it for ever.
 */
export function giveBackLost(pool: Pool): void {
  pool.on("connect", (client) => {
    const query = client.query.bind(client);
    client.query = Object.assign((...given: Parameters<typeof query>) => {
      const answer: unknown = query(...given);
      const [text]: readonly unknown[] = given;
      if (typeof text === "string" && EDGE.test(text) && answer instanceof Promise)
        answer.catch(() => client.release(true));
      return answer;
    }, query);
  });
}

type Connected = Parameters<Pool["connect"]>[0];

/** Bounds those who wait for a connection of the pool: whoever comes beyond is told at once. */
export function boundWaiting(pool: Pool, mostWaiting: number = MOST_WAITING): void {
  const connect: Pool["connect"] = pool.connect.bind(pool);
  function connectIfRoom(): Promise<PoolClient>;
  function connectIfRoom(connected: Connected): void;
  function connectIfRoom(connected?: Connected): Promise<PoolClient> | void {
    if (pool.waitingCount < mostWaiting) return connected === undefined ? connect() : connect(connected);
    databaseRefusals.inc();
    const full = new Error("too many wait for a database connection");
    if (connected === undefined) return Promise.reject(full);
    connected(full, undefined, () => undefined);
  }
  pool.connect = connectIfRoom;
}

const INT8 = types.builtins.INT8;

/** A 64-bit integer as a number. @throws RangeError rather than losing digits */
function exactInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} does not fit into a number exactly`);
  return value;
}

/** How long those who use a pool wait, in milliseconds. */
export interface Patience {
  /** For a connection, be it new or another's turn. */
  readonly connectMs: number;
  /** For a statement; a transaction may stand still as long. */
  readonly statementMs: number;
}

/** Whose connections they are. */
interface Owner {
  /** Stands in PostgreSQL's list of connections. */
  readonly purpose: string;
  readonly patience: Patience;
  /** How far the service's clock is ahead of the machine's, seconds; SQL's `service_now()` is as far ahead of `now()`. Default: 0. */
  readonly clockOffsetSeconds?: number | undefined;
}

/** What all connections of the service have in common. */
export function connectionOptions(
  url: string,
  { purpose, patience: { connectMs, statementMs }, clockOffsetSeconds = 0 }: Owner,
): ClientConfig & { readonly connectionTimeoutMillis: number } {
  return {
    connectionString: url,
    application_name: `drover ${purpose}`,
    keepAlive: true,
    statement_timeout: Math.ceil(statementMs),
    query_timeout: Math.ceil(statementMs) + ANSWER_MS,
    idle_in_transaction_session_timeout: Math.ceil(statementMs),
    connectionTimeoutMillis: connectMs,
    ...(clockOffsetSeconds !== 0 && { options: `-c drover.clock_offset=${clockOffsetSeconds}` }),
  };
}

export interface PoolOptions extends Owner {
  readonly url: string;
  /** Most connections at once. */
  readonly size: number;
  readonly log: Logger;
  /** Most who wait for a connection. */
  readonly mostWaiting?: number;
}

/**
 * Opens a pool. In its rows `bigint` (and `count(*)`) is a number, `timestamptz` a Date, `numeric` and `inet` are text; reads that
 * return `json` decide for themselves.
 */
export function openPool({ url, size, log, mostWaiting, ...owner }: PoolOptions): Pool {
  const overrides = new TypeOverrides();
  overrides.setTypeParser(INT8, exactInteger);
  const config = {
    ...connectionOptions(url, owner),
    types: overrides,
    max: size,
    idleTimeoutMillis: IDLE_MS,
    Client: CountedClient,
  };
  const pool = new Pool(config);
  boundWaiting(pool, mostWaiting);
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
