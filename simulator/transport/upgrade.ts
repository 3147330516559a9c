// Lets authenticated websocket requests through to whoever serves them, and refuses the others with a bare status line.
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { ApiError } from "../api.js";
import { readAddress } from "./address.js";
import { handshakeProblem } from "../console/socket.js";
import { answerRequest, authenticationDelayMs } from "./answerRequest.js";
import { identify } from "./credentials.js";
import type { Reply } from "./reply.js";
import { diedReply } from "./reply.js";
import type { HostEndpoint, SocketRequest } from "./hostEndpoint.js";

/** Only these paths ever change protocol; elsewhere the Upgrade header means nothing. */
export function isWebSocketRequest(message: IncomingMessage): boolean {
  const isWebSocket = message.headers.upgrade?.toLowerCase() === "websocket";
  return isWebSocket && readAddress(message.url ?? "/").path.endsWith("websocket");
}

/** Authenticates a websocket request and hands it over. */
export async function upgrade(
  request: Pick<SocketRequest, "message" | "stream" | "head">,
  node: string,
  endpoint: HostEndpoint,
): Promise<void> {
  const { message, stream } = request;
  stream.on("error", () => stream.destroy());
  if (readAddress(message.url ?? "/").path.endsWith("/vncwebsocket")) return upgradeConsole(request, node, endpoint);
  const { query } = readAddress(message.url ?? "/");
  try {
    const identity = identify(message, endpoint.backend.verifier);
    endpoint.connectSocket({ ...request, identity, query: new URLSearchParams(query) });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401) await wait(authenticationDelayMs);
    stream.end(`HTTP/1.1 ${error.status} ${error.message.split("\n", 1)[0] ?? ""}\r\nConnection: close\r\n\r\n`);
  }
}

/** A console is asked for like any other method; only when that answers is the protocol changed. */
async function upgradeConsole(
  request: Pick<SocketRequest, "message" | "stream" | "head">,
  node: string,
  endpoint: HostEndpoint,
): Promise<void> {
  const { message, stream } = request;
  const address = readAddress(message.url ?? "/");
  const arrival = { message, address, answeringNode: node, receivedAt: performance.now(), onParameters: () => {} };
  const reply = await answerRequest(arrival, endpoint.backend);
  if (reply.status !== 200) return refuse(stream, reply);
  const problem = handshakeProblem(message);
  if (problem !== null) return refuse(stream, diedReply(`${problem}\n`, endpoint.backend.traits));
  const port = Number(new URLSearchParams(address.query).get("port"));
  await endpoint.connectConsole(request, { node: address.api?.segments[1] ?? node, port });
}

function refuse(stream: Duplex, { status, reason, contentType, body = "" }: Reply): void {
  const type = contentType === undefined ? "" : `Content-Type: ${contentType}\r\n`;
  const length = `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  stream.end(
    `HTTP/1.1 ${status} ${reason.split("\n", 1)[0] ?? ""}\r\nConnection: close\r\n${type}${length}\r\n${body}`,
  );
}
