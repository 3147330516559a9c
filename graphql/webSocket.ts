// Accepts WebSockets for graphql-transport-ws, and pings them.
import { handleProtocols, type Server as ProtocolServer } from "graphql-ws";
import type { IncomingMessage } from "node:http";
import { WebSocketServer, type ServerOptions, type VerifyClientCallbackAsync, type WebSocket } from "ws";
import { httpStatusOf, type DroverError } from "../src/errors/errors.js";
import type { Logger } from "../src/observability/log.js";
import { openSockets, socketsCut } from "../src/observability/metrics.js";
import { ClientSocket, type SocketTurn } from "./clientSocket.js";

/** Time for clients to answer the close when the service ends. */
const SHUTDOWN_MS = 1_000;
const GOING_AWAY = 1001;
/** Close code "try again later": there is no room, or the database is unavailable. */
export const TRY_AGAIN_LATER = 1013;
/** Between two pings of a connection; one that has not answered a ping by the next is dead. */
const PING_MS = 12_000;
/** Time for a client to read what was sent before a close. */
const CLOSE_MS = 10_000;

export interface WebSockets {
  /** Closes all connections (1001) and waits for their end. */
  close(): Promise<void>;
}

interface WebSocketParts {
  readonly protocol: ProtocolServer<ClientSocket>;
  /** HTTP server, path and largest message. */
  readonly options: ServerOptions;
  readonly log: Logger;
  /** Address of the client. */
  readonly sourceOf: (request: IncomingMessage) => string;
  /** Resolves when a message may be worked on. */
  readonly turn: SocketTurn;
  /** @returns why the client may not connect, answered before the upgrade; null: it may */
  readonly refuse: (request: IncomingMessage) => DroverError | null;
  /** @returns the refusal when there is no room for the connection, else null */
  readonly enter: (client: ClientSocket) => DroverError | null;
  /** Called at the end of each connection that was given room. */
  readonly leave: (client: ClientSocket) => void;
}

/** Serves the protocol on the HTTP server and path that `options` names. */
export function serveWebSockets(parts: WebSocketParts): WebSockets {
  const { options, log, turn } = parts;
  const bounded = {
    ...options,
    closeTimeout: CLOSE_MS,
    verifyClient: verifierOf(parts),
    handleProtocols: (offered: Set<string>) => handleProtocols(offered),
  };
  const server = new WebSocketServer(bounded);
  // Faults of the HTTP server come through here too; they are its owner's to handle.
  server.on("error", (error) => log.debug({ err: error }, "the WebSocket server reported an error"));
  server.on("connection", (socket, request) => {
    const { cookie } = request.headers;
    const client = new ClientSocket({ socket, sourceIp: parts.sourceOf(request), cookie, log, turn });
    if (isWithinQuota(parts, client)) serve(parts, socket, client);
  });
  return {
    async close() {
      for (const client of server.clients) client.close(GOING_AWAY, "Going away");
      const timer = setTimeout(() => {
        for (const client of server.clients) client.terminate();
      }, SHUTDOWN_MS);
      await new Promise<void>((resolve) => server.close(() => resolve()));
      clearTimeout(timer);
    },
  };
}

/** Refuses before the upgrade, as over HTTP: the handshake is the most expensive part of a connection. */
function verifierOf({ refuse }: WebSocketParts): VerifyClientCallbackAsync {
  return ({ req: request }, answer) => {
    const refusal = refuse(request);
    if (refusal === null) return answer(true);
    const { kind, message, reason, retryAfterSeconds } = refusal;
    socketsCut.inc({ reason: kind === "forbidden" ? "wrong_origin" : "busy" });
    answer(false, httpStatusOf[kind], message, {
      "Content-Type": "text/plain; charset=utf-8",
      ...(retryAfterSeconds !== undefined && { "Retry-After": String(retryAfterSeconds) }),
      ...(reason !== undefined && { "X-Error-Code": reason }),
    });
  };
}

function isWithinQuota({ enter }: WebSocketParts, client: ClientSocket): boolean {
  const refusal = enter(client);
  if (refusal === null) return true;
  socketsCut.inc({ reason: "no_room" });
  client.close(TRY_AGAIN_LATER, refusal.message);
  return false;
}

function serve({ protocol, log, leave }: WebSocketParts, socket: WebSocket, client: ClientSocket): void {
  openSockets.inc();
  const closed = protocol.opened(client, client);
  const pinging = setInterval(() => client.ping(), PING_MS).unref();
  socket.once("close", (code, reason) => {
    openSockets.dec();
    clearInterval(pinging);
    leave(client);
    closed(code, String(reason)).catch((error: unknown) =>
      log.error({ err: error }, "the end of a WebSocket was not handled"),
    );
  });
}
