// Runs reads for callers who may leave: who has left waits for no connection, and the statement that runs for him is cancelled.
import { Client, type Pool, type PoolClient, type QueryConfig, type QueryResult, type QueryResultRow } from "pg";
import { statementsCancelled } from "../metrics.js";

declare module "pg" {
  interface ClientBase {
    /** Of the server's process behind this connection. */
    readonly processID: number | null;
  }
}

/** Long for a server that answers, short beside the time that a statement is given. */
const CANCEL_MS = 5_000;
/** `query_canceled` */
const CANCELLED = "57014";

/** Tells that a caller has left. An `AbortSignal` does the same at several times the cost, which every read would bear. */
export class Departure {
  readonly #listeners = new Set<() => void>();
  #reason: Error | null = null;

  /** Null: he is still there. */
  get reason(): Error | null {
    return this.#reason;
  }

  leave(reason: Error): void {
    if (this.#reason !== null) return;
    this.#reason = reason;
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }

  /** Calls once, when the caller leaves after this. */
  on(listener: () => void): void {
    this.#listeners.add(listener);
  }

  off(listener: () => void): void {
    this.#listeners.delete(listener);
  }
}

/**
 * Runs a statement that only reads, by itself: what was to be written may not depend on somebody waiting for it.
 * @throws the departure's reason, once the caller has left
 */
export async function readUnlessLeft<Columns extends QueryResultRow>(
  pool: Pool,
  statement: QueryConfig,
  departure: Departure,
): Promise<QueryResult<Columns>> {
  const client = await connectUnlessLeft(pool, departure);
  const cancellation = new Cancellation(pool, client, departure);
  let fault: unknown = null;
  try {
    return await client.query<Columns>(statement);
  } catch (error) {
    fault = error;
    throw departure.reason ?? error;
  } finally {
    // Nobody else gets the connection while a cancellation may still reach it.
    client.release(!(await cancellation.hasLeftItUsable(fault)));
  }
}

/** A turn that comes after its caller has left goes to whoever is next. */
function connectUnlessLeft(pool: Pool, departure: Departure): Promise<PoolClient> {
  const { promise, resolve, reject } = Promise.withResolvers<PoolClient>();
  if (departure.reason !== null) {
    reject(departure.reason);
    return promise;
  }
  const leave = (): void => reject(departure.reason);
  departure.on(leave);
  pool.connect((fault, client, release) => {
    departure.off(leave);
    if (client === undefined) reject(fault);
    else if (departure.reason !== null) release();
    else resolve(client);
  });
  return promise;
}

/** Cancels what runs on a connection when the caller leaves. */
class Cancellation {
  readonly #pool: Pool;
  readonly #client: PoolClient;
  readonly #departure: Departure;
  #sent: Promise<readonly PromiseSettledResult<void>[]> | null = null;

  constructor(pool: Pool, client: PoolClient, departure: Departure) {
    this.#pool = pool;
    this.#client = client;
    this.#departure = departure;
    departure.on(this.#send);
  }

  /** The connection is held until this is known, so that its process can be no other. */
  readonly #send = (): void => {
    this.#sent = Promise.allSettled([cancelOn(this.#pool, this.#client)]);
  };

  /**
   * Ends the watch when the statement has ended, with this fault or without (null). A cancellation has been used up by the
   * statement that it ended; one that came too late is not waited for: its connection is given up.
   */
  async hasLeftItUsable(fault: unknown): Promise<boolean> {
    this.#departure.off(this.#send);
    if (this.#sent === null) return fault === null;
    const [outcome] = await this.#sent;
    return outcome?.status === "fulfilled" && fault instanceof Error && "code" in fault && fault.code === CANCELLED;
  }
}

/** By a connection of its own: those of the pool may all be waiting for what is to be cancelled. */
async function cancelOn({ options }: Pool, { processID }: PoolClient): Promise<void> {
  statementsCancelled.inc();
  const messenger = new Client({
    connectionString: options.connectionString,
    application_name: "drover cancel",
    connectionTimeoutMillis: CANCEL_MS,
    query_timeout: CANCEL_MS,
  });
  try {
    await messenger.connect();
    await messenger.query("select pg_cancel_backend($1)", [processID]);
  } finally {
    await messenger.end();
  }
}
