// Runs reads for callers who may disconnect: then the read no longer waits for a connection, or its statement is cancelled.
import { once } from "node:events";
import { connect, type NetConnectOpts } from "node:net";
import type { Pool, PoolClient, QueryConfig, QueryResult, QueryResultRow } from "pg";
import { statementsCancelled } from "../metrics.js";

declare module "pg" {
  interface ClientBase {
    readonly host: string;
    readonly port: number;
    /** What the server calls this connection, and the key to cancel what runs on it. */
    readonly processID: number;
    readonly secretKey: number;
  }
}

/** Long for a server that answers, short beside the time that a statement is given. */
const CANCEL_MS = 5_000;
/** `query_canceled` */
const CANCELLED = "57014";
/** The code that makes a first message one that cancels. */
const CANCEL_REQUEST = 80_877_102;

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
  const cancellation = new Cancellation(client, departure);
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
  readonly #client: PoolClient;
  readonly #departure: Departure;
  #sent: Promise<readonly PromiseSettledResult<void>[]> | null = null;

  constructor(client: PoolClient, departure: Departure) {
    this.#client = client;
    this.#departure = departure;
    departure.on(this.#send);
  }

  readonly #send = (): void => {
    this.#sent = Promise.allSettled([cancelOn(this.#client)]);
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

/**
 * Sends PostgreSQL's own request for it, which only the key of this one connection opens; it needs none of the server's
 * connections, and it is not answered: the server, or a pooler that passes it on, closes when it is done. Unencrypted it tells
 * nothing but the key.
 */
async function cancelOn(client: PoolClient): Promise<void> {
  statementsCancelled.inc();
  const socket = connect(addressOf(client));
  socket.setTimeout(CANCEL_MS, () => socket.destroy(new Error("The server took too long to cancel a statement")));
  socket.write(cancelRequest(client));
  socket.resume();
  await once(socket, "close");
}

const addressOf = ({ host, port }: PoolClient): NetConnectOpts =>
  host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };

/** Length, code, and what the server told when it was connected to, each in four bytes. */
function cancelRequest({ processID, secretKey }: PoolClient): Buffer {
  const words = [4 * Int32Array.BYTES_PER_ELEMENT, CANCEL_REQUEST, processID, secretKey];
  const request = Buffer.alloc(words.length * Int32Array.BYTES_PER_ELEMENT);
  for (const [place, word] of words.entries()) request.writeInt32BE(word, place * Int32Array.BYTES_PER_ELEMENT);
  return request;
}
