// Keeps the connections to one host, and chooses those that a request may go over.
import type { Dispatcher, Pool } from "undici";

/** Hosts end connections that rest for some seconds; no change goes over one that has rested longer than this, milliseconds. */
const CHANGE_REST_MS = 300;

/** Codes of the errors that tell that the other side has ended a connection. */
const ENDED = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"]);

/** How many at once. */
interface ConnectionLimits {
  readonly connections: number;
  readonly slowConnections: number;
}

/** What a request asks of its connection. */
interface Journey {
  readonly method: string;
  /** May hang for itself: it shares no connections with others. */
  readonly slow: boolean;
}

/**
 * A host may end a resting connection in the moment in which the next request leaves, and nobody knows then whether that was
 * received. A question is simply asked again. A change goes over a connection that was in use a moment ago or is new; of a host
 * that has ended connections all the same, over one that no other request has.
 */
export class Connections {
  readonly #questions: Pool;
  readonly #slowQuestions: Pool;
  readonly #changes: Pool;
  readonly #singleChanges: Pool;
  #endsThem = false;

  constructor(open: (options: Pool.Options) => Pool, { connections, slowConnections }: ConnectionLimits) {
    this.#questions = open({ connections });
    this.#slowQuestions = open({ connections: slowConnections });
    this.#changes = open({
      connections,
      keepAliveTimeout: CHANGE_REST_MS,
      keepAliveMaxTimeout: CHANGE_REST_MS,
    });
    this.#singleChanges = open({ connections, pipelining: 0 });
    for (const pool of this.#all()) pool.on("disconnect", (_origin, _targets, error) => this.#note(error));
  }

  for({ method, slow }: Journey): Dispatcher {
    if (method === "GET") return slow ? this.#slowQuestions : this.#questions;
    return this.#endsThem ? this.#singleChanges : this.#changes;
  }

  /** Ends them all, also those that are still being tried. */
  async destroy(): Promise<void> {
    await Promise.all(this.#all().map((pool) => pool.destroy()));
  }

  #all(): Pool[] {
    return [this.#questions, this.#slowQuestions, this.#changes, this.#singleChanges];
  }

  #note(error: Error): void {
    if ("code" in error && ENDED.has(String(error.code))) this.#endsThem = true;
  }
}
