// The WebSocket of one client, as graphql-ws uses it; it is closed when the client reads too slowly or answers no ping.
import {
  CloseCode,
  MessageType,
  parseMessage,
  type Context as ConnectionState,
  type WebSocket as ProtocolSocket,
} from "graphql-ws";
import { randomUUID } from "node:crypto";
import type { WebSocket } from "ws";
import { LARGE_BYTES } from "../src/access/admission/largeBodies.js";
import type { Logger } from "../src/observability/log.js";
import { socketsCut, type SocketCut } from "../src/observability/metrics.js";
import type { Outlet } from "./shared/subscriber.js";

/** A connection as graphql-ws keeps it. */
export type SocketConnection = ConnectionState<Record<string, unknown> | undefined, ClientSocket>;

/** Close code for a client that reads so slowly that too much waits to be sent. */
const TOO_SLOW = 4508;
/** At most this and one message wait for a client. */
const MOST_UNSENT_BYTES = 4 * 1024 * 1024;

interface ClientSocketParts {
  readonly socket: WebSocket;
  /** Address of the client. */
  readonly sourceIp: string;
  /** The `Cookie` header of the handshake. Default: none. */
  readonly cookie?: string | undefined;
  readonly log: Logger;
  /** Resolves when a message of so many bytes may be worked on. Default: every one at once. */
  readonly turn?: SocketTurn;
}

/** @param client whose message it is */
export type SocketTurn = (client: ClientSocket, bytes: number) => Promise<void>;

const AT_ONCE: SocketTurn = () => Promise.resolve();

export class ClientSocket implements ProtocolSocket, Outlet {
  /** Address of the client. */
  readonly sourceIp: string;
  /** The `Cookie` header of the handshake. */
  readonly cookie: string | undefined;
  readonly #socket: WebSocket;
  readonly #log: Logger;
  readonly #turn: SocketTurn;
  /** The last message that waits for its turn, or for others before it. */
  #waiting: Promise<void> | null = null;
  #requestId: string | null = null;
  #isAlive = true;

  constructor({ socket, sourceIp, cookie, log, turn = AT_ONCE }: ClientSocketParts) {
    this.#socket = socket;
    this.#log = log;
    this.#turn = turn;
    this.sourceIp = sourceIp;
    this.cookie = cookie;
    socket.on("error", (error) => log.debug({ err: error }, "a WebSocket failed"));
    socket.on("pong", () => {
      this.#isAlive = true;
    });
    // `ws` answers each ping: a client that pings without reading the answers is too slow as well.
    socket.on("ping", () => this.#cutIfSlow());
  }

  /** Request id of all its operations, for the log and for internal errors. */
  get requestId(): string {
    return (this.#requestId ??= randomUUID());
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  get protocol(): string {
    return this.#socket.protocol;
  }

  /** Resolves when the text has left the process, or nothing can be sent any more: graphql-ws sends the next result of a subscription then. */
  async send(text: string): Promise<void> {
    this.#cutIfSlow();
    if (!this.isOpen) return;
    // What fails here is the connection: the socket reports that itself.
    await new Promise<void>((resolve) => this.#socket.send(text, () => resolve()));
  }

  onMessage(handle: (text: string) => Promise<void>): void {
    this.#socket.on("message", (data: Buffer) => {
      const work = (): void => this.#handle(data.toString("utf8"), handle);
      if (this.#waiting === null && data.length <= LARGE_BYTES) work();
      else void this.#await(data.length, work);
    });
  }

  #handle(text: string, handle: (text: string) => Promise<void>): void {
    handle(text).catch((error: unknown) => {
      if (isServersOwn(text)) return this.close(CloseCode.BadRequest, "Invalid message received");
      this.#log.error({ err: error }, "a GraphQL message failed");
      this.close(CloseCode.InternalServerError, "Internal server error");
    });
  }

  /** Messages keep their order. No more is read of the connection meanwhile; what comes after its end is nobody's. */
  async #await(bytes: number, work: () => void): Promise<void> {
    const mine = this.#inTurn(bytes, work);
    this.#waiting = mine;
    this.#socket.pause();
    await mine;
    if (this.#waiting !== mine) return;
    this.#waiting = null;
    this.#socket.resume();
  }

  async #inTurn(bytes: number, work: () => void): Promise<void> {
    await this.#waiting;
    await this.#turn(this, bytes);
    if (this.isOpen) work();
  }

  close(code: number = CloseCode.InternalServerError, reason = ""): void {
    this.#socket.close(code, reason);
  }

  cutForSlowness(): void {
    if (!this.isOpen) return;
    this.#cut("too_slow");
    this.close(TOO_SLOW, "Too slow: too much waits to be read");
  }

  /** Pings the client; ends the connection when the last ping has not been answered. */
  ping(): void {
    if (!this.#isAlive) {
      this.#cut("silent");
      this.#socket.terminate();
      return;
    }
    this.#isAlive = false;
    this.#socket.ping();
  }

  #cutIfSlow(): void {
    if (this.#socket.bufferedAmount > MOST_UNSENT_BYTES) this.cutForSlowness();
  }

  #cut(reason: SocketCut): void {
    socketsCut.inc({ reason });
    this.#log.info({ reason, unsentBytes: this.#socket.bufferedAmount }, "a WebSocket was ended");
  }
}

/** Types that clients never send. graphql-ws accepts such a message as well-formed, and throws when it handles it. */
const SERVERS_OWN: ReadonlySet<MessageType> = new Set([MessageType.ConnectionAck, MessageType.Next, MessageType.Error]);

/** @param text a well-formed message */
const isServersOwn = (text: string): boolean => SERVERS_OWN.has(parseMessage(text).type);
