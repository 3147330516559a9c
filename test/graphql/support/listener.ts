// One operation over WebSocket as a test follows it: event by event, to its refusal, its end, or the close of the connection.
import type { Client } from "graphql-ws";
import { z } from "zod";
import { connect, type GraphqlService } from "./service.js";

interface Operation {
  readonly token: string;
  readonly query: string;
  readonly variables?: Record<string, unknown>;
}

const refusal = z.looseObject({ message: z.string(), extensions: z.looseObject({ code: z.string() }) });
const closeEvent = z.object({ code: z.number() });
/** Long enough for a slow machine; a test that waits so long fails. */
const PATIENCE_MS = 40_000;

export class Listener {
  readonly #service: GraphqlService;
  readonly #client: Client;
  readonly #events: AsyncIterableIterator<{ data?: unknown; errors?: unknown }>;
  readonly #closed: Promise<number>;

  constructor(service: GraphqlService, { token, ...asked }: Operation, client?: Client) {
    this.#service = service;
    const { promise, resolve } = Promise.withResolvers<number>();
    this.#closed = promise;
    this.#client = client ?? connect(service, token, { closed: (event) => resolve(closeEvent.parse(event).code) });
    this.#events = this.#client.iterate(asked);
  }

  /** Another operation on the same connection. */
  also(query: string): Listener {
    return new Listener(this.#service, { token: "", query }, this.#client);
  }

  /** The data of the next event. */
  async next(): Promise<Record<string, unknown>> {
    const result = await this.#take();
    if (result.done === true) throw new Error("The operation has ended");
    if (result.value.errors !== undefined) throw new Error(JSON.stringify(result.value.errors));
    return z.record(z.string(), z.unknown()).parse(result.value.data);
  }

  /** The operation ends without another event. */
  async ended(): Promise<void> {
    const result = await this.#take();
    if (result.done !== true) throw new Error(`Not the end: ${JSON.stringify(result.value)}`);
  }

  /** The error that the operation is refused with: before it starts by a message of its own, later in place of its data. */
  async refused(): Promise<z.infer<typeof refusal>> {
    const answer = await this.#take().then(
      ({ value }) => value?.errors,
      (error: unknown) => error,
    );
    const [first] = z.tuple([refusal]).parse(answer);
    return first;
  }

  /** The close code of the connection. */
  closed(): Promise<number> {
    return within(this.#closed, "the connection was not closed");
  }

  dispose(): void {
    void this.#client.dispose();
  }

  #take(): Promise<IteratorResult<{ data?: unknown; errors?: unknown }>> {
    return within(this.#events.next(), "nothing came");
  }
}

function within<Value>(promise: Promise<Value>, complaint: string): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(complaint)), PATIENCE_MS);
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
