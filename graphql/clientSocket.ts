// One WebSocket connection, as the graphql-ws server uses it; it is closed when its client does not keep up.
import {
  CloseCode,
  MessageType,
  parseMessage,
  type Context as ConnectionState,
  type WebSocket as ProtocolSocket,
} from "graphql-ws";
import { randomUUID } from "node:crypto";
import type { WebSocket } from "ws";
import type { Logger } from "../src/observability/log.js";
import { socketsCut, type SocketCut } from "../src/observability/metrics.js";
import type { Outlet } from "./shared/subscriber.js";

/** A connection as the protocol's server keeps it. */
export type Connection = ConnectionState<Record<string, unknown> | undefined, Wire>;

/** Close code of the service for who reads so slowly that too much waits to be sent. */
const TOO_SLOW = 4508;
/** More than this, and one message, is never kept for a client. */
const MOST_UNSENT_BYTES = 4 * 1024 * 1024;

interface WireParts {
  readonly socket: WebSocket;
  /** Address of the client. */
  readonly sourceIp: string;
  readonly log: Logger;
}

export class Wire implements ProtocolSocket, Outlet {
  /** Address of the client. */
  readonly sourceIp: string;
  readonly #socket: WebSocket;
  readonly #log: Logger;
  #requestId: string | null = null;
  #isAlive = true;

  constructor({ socket, sourceIp, log }: WireParts) {
    this.#socket = socket;
    this.#log = log;
    this.sourceIp = sourceIp;
    socket.on("error", (error) => log.debug({ err: error }, "a WebSocket failed"));
    socket.on("pong", () => {
      this.#isAlive = true;
    });
    // Pongs are sent unasked: who pings without reading them is too slow as well.
    socket.on("ping", () => this.#keepsUp());
  }

  /** Of all its operations, for the log and for who is told of a fault. */
  get requestId(): string {
    return (this.#requestId ??= randomUUID());
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  get protocol(): string {
    return this.#socket.protocol;
  }

  /** Resolves when the text has left the process: a slow client is not sent more than it takes. */
  async send(text: string): Promise<void> {
    if (!this.#keepsUp() || !this.isOpen) return;
    await new Promise<void>((resolve, reject) => {
      this.#socket.send(text, (error) => (error ? reject(error) : resolve()));
    });
  }

  onMessage(handle: (text: string) => Promise<void>): void {
    this.#socket.on("message", (data: Buffer) => {
      const text = data.toString("utf8");
      handle(text).catch((error: unknown) => {
        if (isServersOwn(text)) return this.close(CloseCode.BadRequest, "Invalid message received");
        this.#log.error({ err: error }, "a GraphQL message failed");
        this.close(CloseCode.InternalServerError, "Internal server error");
      });
    });
  }

  close(code: number = CloseCode.InternalServerError, reason = ""): void {
    this.#socket.close(code, reason);
  }

  cutForSlowness(): void {
    if (!this.isOpen) return;
    this.#cut("too_slow");
    this.close(TOO_SLOW, "Too slow: too much waits to be read");
  }

  /** Pings; who has not answered since the last time is gone. */
  look(): void {
    if (!this.#isAlive) {
      this.#cut("silent");
      this.#socket.terminate();
      return;
    }
    this.#isAlive = false;
    this.#socket.ping();
  }

  #keepsUp(): boolean {
    if (this.#socket.bufferedAmount <= MOST_UNSENT_BYTES) return true;
    this.cutForSlowness();
    return false;
  }

  #cut(reason: SocketCut): void {
    socketsCut.inc({ reason });
    this.#log.info({ reason, unsentBytes: this.#socket.bufferedAmount }, "a WebSocket was ended");
  }
}

/** Clients never send these. The protocol's server takes them for well-formed, and throws only when it comes to act on them. */
const SERVERS_OWN: ReadonlySet<MessageType> = new Set([MessageType.ConnectionAck, MessageType.Next, MessageType.Error]);

/** @param text a well-formed message */
const isServersOwn = (text: string): boolean => SERVERS_OWN.has(parseMessage(text).type);
