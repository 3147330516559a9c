// A subscription's place on its WebSocket connection: how the protocol's server ends it, and how its client is told of its end.
import { MessageType, stringifyMessage, type Context as ConnectionState } from "graphql-ws";
import type { Errors, Seat, Subscriber } from "./audience/subscriber.js";
import type { Wire } from "./wire.js";

/** A connection as the protocol's server keeps it. */
export type Connection = ConnectionState<Record<string, unknown> | undefined, Wire>;

/**
 * The protocol's server waits for each event of a subscription in a function of its own, which holds the client's message and
 * all that came of it: about 2 KB. It is told that the stream is over before it waits, in a moment when it believes that
 * the client has ended it and so tells nobody. What it ends subscriptions by, its list of those that are open, has the
 * subscription again before the next message is read: an id that is used twice, `complete` and the end of the connection are
 * its work as ever.
 */
export class SocketSeat implements Seat {
  readonly id: string;
  readonly #connection: Connection;

  constructor(connection: Connection, id: string) {
    this.#connection = connection;
    this.id = id;
  }

  get outlet(): Wire {
    return this.#connection.extra;
  }

  get isWanted(): boolean {
    return this.id in this.#connection.subscriptions;
  }

  take(subscriber: Subscriber): void {
    delete this.#connection.subscriptions[this.id];
    // After what the server still does, all of it promises that are kept already, and before anything is read from a socket.
    process.nextTick(() => {
      if (!subscriber.isOver) this.#connection.subscriptions[this.id] = subscriber;
    });
  }

  giveBack(errors: Errors | null): void {
    const { id } = this;
    delete this.#connection.subscriptions[id];
    const message =
      errors === null
        ? ({ id, type: MessageType.Complete } as const)
        : { id, type: MessageType.Error as const, payload: errors };
    this.outlet.post(Buffer.from(stringifyMessage(message)));
  }
}
