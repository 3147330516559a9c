// Lets authenticated websocket requests through to whoever serves them, and refuses the others with a bare status line.
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import type { Identity } from "../api.js";
import { ApiError } from "../api.js";
import { readAddress } from "./address.js";
import { authenticationDelayMs } from "./answerRequest.js";
import { identify } from "./credentials.js";
import type { HostDoor } from "./server.js";

/** A websocket request that has passed authentication. */
export interface SocketRequest {
  message: IncomingMessage;
  stream: Duplex;
  head: Buffer;
  identity: Identity;
  query: URLSearchParams;
}

/** Only these paths ever change protocol; elsewhere the Upgrade header means nothing. */
export function isWebSocketRequest(message: IncomingMessage): boolean {
  const isWebSocket = message.headers.upgrade?.toLowerCase() === "websocket";
  return isWebSocket && readAddress(message.url ?? "/").path.endsWith("websocket");
}

/** Authenticates a websocket request and hands it over. */
export async function upgrade(
  request: Pick<SocketRequest, "message" | "stream" | "head">,
  door: HostDoor,
): Promise<void> {
  const { message, stream } = request;
  stream.on("error", () => stream.destroy());
  const { query } = readAddress(message.url ?? "/");
  try {
    const identity = identify(message, door.backend.verifier);
    door.connectSocket({ ...request, identity, query: new URLSearchParams(query) });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401) await wait(authenticationDelayMs);
    stream.end(`HTTP/1.1 ${error.status} ${error.message.split("\n", 1)[0] ?? ""}\r\nConnection: close\r\n\r\n`);
  }
}
