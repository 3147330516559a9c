// Carries the messages of graphql-transport-ws over WebSockets, and ends connections whose other end has gone.
import { CloseCode, handleProtocols, type Server as ProtocolServer } from "graphql-ws";
import type { IncomingMessage } from "node:http";
import { WebSocketServer, type ServerOptions, type WebSocket } from "ws";
import type { Logger } from "../src/log.js";

/** Milliseconds between two pings; who has not answered one by the next is gone. */
const PING_MS = 12_000;
/** Milliseconds that clients have to answer the end of the service. */
const FAREWELL_MS = 1_000;
const GOING_AWAY = 1001;

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

/** Serves the protocol on the HTTP server and path that `options` names. */
export function serveWebSockets(protocol: ProtocolServer<Wire>, options: ServerOptions, log: Logger): WebSockets {
  const server = new WebSocketServer({ ...options, handleProtocols: (offered) => handleProtocols(offered) });
  // Faults of the HTTP server come through here too; they are its owner's to handle.
  server.on("error", (error) => log.debug({ err: error }, "the WebSocket server reported an error"));
  server.on("connection", (socket, request) => serve(protocol, { socket, request, log }));
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

interface Opened {
  readonly socket: WebSocket;
  readonly request: IncomingMessage;
  readonly log: Logger;
}

function serve(protocol: ProtocolServer<Wire>, { socket, request, log }: Opened): void {
  const close = (code: number, reason: string): void => socket.close(code, reason);
  const closed = protocol.opened(
    {
      protocol: socket.protocol,
      close: (code = CloseCode.InternalServerError, reason = "") => close(code, reason),
      // Resolves when the text has left the process: a slow client is not sent more than it takes.
      send: (text) => sent(socket, text),
      onMessage: (handle) =>
        socket.on("message", (data: Buffer) => {
          handle(data.toString("utf8")).catch((error: unknown) => {
            log.error({ err: error }, "a GraphQL message failed");
            close(CloseCode.InternalServerError, "Internal server error");
          });
        }),
    },
    { request, close },
  );
  const stopPinging = pingUntilClosed(socket);
  socket.on("error", (error) => log.debug({ err: error }, "a WebSocket failed"));
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

function pingUntilClosed(socket: WebSocket): () => void {
  let answered = true;
  socket.on("pong", () => {
    answered = true;
  });
  const timer = setInterval(() => {
    if (!answered) {
      socket.terminate();
      return;
    }
    answered = false;
    socket.ping();
  }, PING_MS);
  return () => clearInterval(timer);
}
