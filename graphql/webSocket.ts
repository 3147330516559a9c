// Accepts WebSockets for graphql-transport-ws, and closes those whose client is gone.
import { handleProtocols, type Server as ProtocolServer } from "graphql-ws";
import type { IncomingMessage } from "node:http";
import { WebSocketServer, type ServerOptions, type VerifyClientCallbackAsync, type WebSocket } from "ws";
import { httpStatusOf, type DroverError } from "../src/errors/errors.js";
import type { Logger } from "../src/observability/log.js";
import { openSockets, socketsCut } from "../src/observability/metrics.js";
import { Wire } from "./clientSocket.js";

/** Milliseconds that clients have to answer the end of the service. */
const FAREWELL_MS = 1_000;
const GOING_AWAY = 1001;
/** Close code "try again later", for who comes when there is no room, or the database cannot be asked. */
export const TRY_AGAIN_LATER = 1013;
/** Between two pings of a connection; one that has not answered a ping by the next is dead. */
const PING_MS = 12_000;
/** For so long a client that was told to go may still read what was sent before. */
const LEAVE_MS = 10_000;

/** WebSockets that are being served. */
export interface WebSockets {
  /** Says goodbye (1001) to all clients and waits until they are gone. */
  close(): Promise<void>;
}

interface WebSocketParts {
  readonly protocol: ProtocolServer<Wire>;
  /** HTTP server, path and largest message. */
  readonly options: ServerOptions;
  readonly log: Logger;
  /** Whose address a connection has. */
  readonly sourceOf: (request: IncomingMessage) => string;
  /** @returns why nobody may connect at present, said before there is a connection; null: they may */
  readonly refuse: () => DroverError | null;
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
    verifyClient: verifierOf(parts),
    handleProtocols: (offered: Set<string>) => handleProtocols(offered),
  };
  const server = new WebSocketServer(bounded);
  // Faults of the HTTP server come through here too; they are its owner's to handle.
  server.on("error", (error) => log.debug({ err: error }, "the WebSocket server reported an error"));
  server.on("connection", (socket, request) => {
    const wire = new Wire({ socket, sourceIp: parts.sourceOf(request), log });
    if (isWithinQuota(parts, wire)) serve(parts, socket, wire);
  });
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

/** Whoever is refused is answered as over HTTP: to shake hands first costs the most of a connection. */
function verifierOf({ refuse }: WebSocketParts): VerifyClientCallbackAsync {
  return (_client, answer) => {
    const refusal = refuse();
    if (refusal === null) return answer(true);
    socketsCut.inc({ reason: "busy" });
    answer(false, httpStatusOf[refusal.kind], refusal.message, { "Retry-After": String(refusal.retryAfterSeconds) });
  };
}

function isWithinQuota({ enter }: WebSocketParts, wire: Wire): boolean {
  const refusal = enter(wire);
  if (refusal === null) return true;
  socketsCut.inc({ reason: "no_room" });
  wire.close(TRY_AGAIN_LATER, refusal.message);
  return false;
}

function serve({ protocol, log, leave }: WebSocketParts, socket: WebSocket, wire: Wire): void {
  openSockets.inc();
  const closed = protocol.opened(wire, wire);
  const pinging = setInterval(() => wire.look(), PING_MS).unref();
  socket.once("close", (code, reason) => {
    openSockets.dec();
    clearInterval(pinging);
    leave(wire);
    closed(code, String(reason)).catch((error: unknown) =>
      log.error({ err: error }, "the end of a WebSocket was not handled"),
    );
  });
}
