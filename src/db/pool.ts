// The native connection pools: bounded waiting, statement time-outs, counted statements, and 64-bit integers as numbers.
import { Client, Pool, TypeOverrides, types, type ClientConfig, type PoolClient } from "pg";
import type { Logger } from "../observability/log.js";
import { databaseRefusals, sqlStatements } from "../observability/metrics.js";

const IDLE_MS = 60_000;
/** Extra time of the client's time-out over the server's: when it fires, the server no longer answers. */
const ANSWER_MS = 5_000;
/** Most callers that wait for a connection; further ones are refused at once. */
const MOST_WAITING = 2_000;
/** The driver's message when no answer came in time. */
const NO_ANSWER = "Query read timeout";
/** `read_only_sql_transaction` */
const READ_ONLY = "25006";

/** A connection that counts its statements and closes itself when it is unusable. */
class CountedClient extends Client {
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
 * Whether the error shows that the connection is unusable: the server is silent, or has become a read-only standby. The pool then
 * opens another connection.
 */
function isUseless(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === READ_ONLY || (error instanceof Error && error.message === NO_ANSWER);
}

const EDGE = /^(?:begin|start transaction|rollback|listen)\b(?! to\b)/i;

/**
 * Releases a connection on which a transaction could not be begun or rolled back, or LISTEN failed: Kysely, which MikroORM uses,
 * and Agenda would hold it for ever.
 */
export function releaseBrokenClients(pool: Pool): void {
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

/** Limits the number of callers that wait for a connection of the pool; further ones are refused at once. */
function limitWaiting(pool: Pool, mostWaiting: number = MOST_WAITING): void {
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

/** The time-outs of a pool's users, milliseconds. */
export interface Timeouts {
  /** For a connection, new or released by another user. */
  readonly connectMs: number;
  readonly statementMs: number;
  /** For a transaction whose owner stands still: others wait for its locks. Default: as for a statement. */
  readonly idleMs?: number;
}

/** The purpose of the connections and their time-outs. */
interface Owner {
  /** Shown in pg_stat_activity as a part of the application name. */
  readonly purpose: string;
  readonly patience: Timeouts;
  /** How far the service's clock is ahead of the machine's, seconds; SQL's `service_now()` is as far ahead of `now()`. Default: 0. */
  readonly clockOffsetSeconds?: number | undefined;
}

/** The options that all connections of the service share. */
export function connectionOptions(
  url: string,
  { purpose, patience: { connectMs, statementMs, idleMs = statementMs }, clockOffsetSeconds = 0 }: Owner,
): ClientConfig & { readonly connectionTimeoutMillis: number } {
  return {
    connectionString: url,
    application_name: `drover ${purpose}`,
    keepAlive: true,
    statement_timeout: Math.ceil(statementMs),
    query_timeout: Math.ceil(statementMs) + ANSWER_MS,
    idle_in_transaction_session_timeout: Math.ceil(idleMs),
    connectionTimeoutMillis: connectMs,
    ...(clockOffsetSeconds !== 0 && { options: `-c drover.clock_offset=${clockOffsetSeconds}` }),
  };
}

export interface PoolOptions extends Owner {
  readonly url: string;
  /** Most connections at once. */
  readonly size: number;
  readonly log: Logger;
  /** Most callers that wait for a connection. */
  readonly mostWaiting?: number;
}

/**
 * Opens a pool. In its rows `bigint` (and `count(*)`) is a number, `timestamptz` a Date, `numeric` and `inet` are text; reads that
 * return `json` choose their own forms.
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
  limitWaiting(pool, mostWaiting);
  logLostConnections(pool, log);
  return pool;
}

/** The pool replaces lost connections; without listeners their errors would end the process. */
export function logLostConnections(pool: Pool, log: Logger): void {
  pool.on("error", (error) => log.debug({ err: error }, "idle database connection lost"));
  pool.on("connect", (client) => {
    client.on("error", (error) => log.warn({ err: error }, "database connection lost"));
  });
}
