// Carries the messages of graphql-transport-ws over WebSockets, and ends connections whose other end has gone or does not keep up.
import { CloseCode, handleProtocols, type Server as ProtocolServer } from "graphql-ws";
import type { IncomingMessage } from "node:http";
import { WebSocketServer, type ServerOptions, type WebSocket } from "ws";
import type { DroverError } from "../src/errors.js";
import type { Logger } from "../src/log.js";
import { openSockets, socketsCut, type SocketCut } from "../src/metrics.js";

/** Milliseconds between two pings; who has not answered one by the next is gone. */
const PING_MS = 12_000;
/** Milliseconds that clients have to answer the end of the service. */
const FAREWELL_MS = 1_000;
const GOING_AWAY = 1001;
/** Close code "try again later", for who comes when there is no room, or the database cannot be asked. */
export const TRY_AGAIN_LATER = 1013;
/** Close code of the service for who reads so slowly that too much waits to be sent. */
export const TOO_SLOW = 4508;
/** More than this, and one message, is never kept for a client. */
const MOST_UNSENT_BYTES = 4 * 1024 * 1024;
/** For so long a client that was told to go may still read what was sent before. */
const LEAVE_MS = 10_000;

/** What the protocol's hooks are told of a connection. */
export interface Wire {
  readonly request: IncomingMessage;
  close(code: number, reason: string): void;
}

/** WebSockets that are being served. */
export interface WebSockets {
  /** Says goodbye (1001) to all clients and waits until they are gone. */
  close(): Promise<void>;
}

export interface WebSocketParts {
  readonly protocol: ProtocolServer<Wire>;
  /** HTTP server, path and largest message. */
  readonly options: ServerOptions;
  readonly log: Logger;
  /** @returns why there is no room for the connection; null: there is */
  readonly enter: (wire: Wire) => DroverError | null;
  /** Called at the end of each connection that entered. */
  readonly leave: (wire: Wire) => void;
}

/** Serves the protocol on the HTTP server and path that `options` names. */
export function serveWebSockets(parts: WebSocketParts): WebSockets {
  const { options, log } = parts;
  const bounded = {
    ...options,
    closeTimeout: LEAVE_MS,
    handleProtocols: (offered: Set<string>) => handleProtocols(offered),
  };
  const server = new WebSocketServer(bounded);
  // Faults of the HTTP server come through here too; they are its owner's to handle.
  server.on("error", (error) => log.debug({ err: error }, "the WebSocket server reported an error"));
  server.on("connection", (socket, request) => receive(parts, socket, request));
  return {
    async close() {
      for (const client of server.clients) client.close(GOING_AWAY, "Going away");
      const impatience = setTimeout(() => {
        for (const client of server.clients) client.terminate();
      }, FAREWELL_MS);
      await new Promise<void>((resolve) => server.close(() => resolve()));
      clearTimeout(impatience);
    },
  };
}

/** Serves a connection, unless there is no room for it. */
function receive(parts: WebSocketParts, socket: WebSocket, request: IncomingMessage): void {
  const wire: Wire = { request, close: (code, reason) => socket.close(code, reason) };
  socket.on("error", (error) => parts.log.debug({ err: error }, "a WebSocket failed"));
  const noRoom = parts.enter(wire);
  if (noRoom !== null) {
    socketsCut.inc({ reason: "no_room" });
    wire.close(TRY_AGAIN_LATER, noRoom.message);
    return;
  }
  openSockets.inc();
  socket.once("close", () => {
    openSockets.dec();
    parts.leave(wire);
  });
  serve(parts, socket, wire);
}

function serve({ protocol, log }: WebSocketParts, socket: WebSocket, wire: Wire): void {
  const cut = (reason: SocketCut): void => {
    socketsCut.inc({ reason });
    log.info({ reason, unsentBytes: socket.bufferedAmount }, "a WebSocket was ended");
  };
  const keepsUp = (): boolean => {
    if (socket.bufferedAmount <= MOST_UNSENT_BYTES) return true;
    if (socket.readyState === socket.OPEN) {
      cut("too_slow");
      wire.close(TOO_SLOW, "Too slow: too much waits to be read");
    }
    return false;
  };
  const closed = protocol.opened(
    {
      protocol: socket.protocol,
      close: (code = CloseCode.InternalServerError, reason = "") => wire.close(code, reason),
      // Resolves when the text has left the process: a slow client is not sent more than it takes.
      send: (text) => (keepsUp() ? sent(socket, text) : Promise.resolve()),
      onMessage: (handle) =>
        socket.on("message", (data: Buffer) => {
          handle(data.toString("utf8")).catch((error: unknown) => {
            log.error({ err: error }, "a GraphQL message failed");
            wire.close(CloseCode.InternalServerError, "Internal server error");
          });
        }),
    },
    wire,
  );
  const stopPinging = pingUntilClosed(socket, () => cut("silent"));
  // Pongs are sent unasked: who pings without reading them is too slow as well.
  socket.on("ping", keepsUp);
  socket.once("close", (code, reason) => {
    stopPinging();
    closed(code, String(reason)).catch((error: unknown) =>
      log.error({ err: error }, "the end of a WebSocket was not handled"),
    );
  });
}

const sent = (socket: WebSocket, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    if (socket.readyState === socket.OPEN) socket.send(text, (error) => (error ? reject(error) : resolve()));
    else resolve();
  });

function pingUntilClosed(socket: WebSocket, silent: () => void): () => void {
  let answered = true;
  socket.on("pong", () => {
    answered = true;
  });
  const timer = setInterval(() => {
    if (!answered) {
      silent();
      socket.terminate();
      return;
    }
    answered = false;
    socket.ping();
  }, PING_MS);
  return () => clearInterval(timer);
}
