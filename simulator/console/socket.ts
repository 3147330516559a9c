// Connects a websocket with the console proxy that waits on the port it names.
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { WebSocketServer } from "ws";
import type { Platform } from "../platform.js";
import { waitingProxy } from "./proxies.js";

/** Real milliseconds until a connection to a port where nobody listens is given up. */
const lonelyMs = 5000;
const subprotocols = ["binary", "base64"];
const websockets = new WebSocketServer({
  noServer: true,
  handleProtocols: (offered) => [...offered].find((name) => subprotocols.includes(name)) ?? false,
});

/** What is wrong with a handshake, or null. */
export function handshakeProblem({ headers }: IncomingMessage): string | null {
  if (headers["sec-websocket-key"] === undefined) return "missing websocket-key";
  const version = headers["sec-websocket-version"];
  if (version !== "13") return `unsupported websocket-version '${version ?? ""}'`;
  const offered = (headers["sec-websocket-protocol"] ?? "").split(/\s*,\s*/);
  return offered.some((name) => subprotocols.includes(name)) ? null : "websocket-protocol not implemented";
}

/** A console whose request was let through. */
interface ConsoleSocket {
  message: IncomingMessage;
  stream: Duplex;
  head: Buffer;
}

/** Each proxy serves one connection; where none waits, the connection ends without an answer. */
export async function connectConsole(
  { state }: Platform,
  { message, stream, head }: ConsoleSocket,
  place: { node: string; port: number },
): Promise<void> {
  const proxy = waitingProxy(state, place.node, place.port);
  if (proxy === null) {
    await wait(lonelyMs, undefined, { ref: false });
    stream.destroy();
    return;
  }
  proxy.taken = true;
  websockets.handleUpgrade(message, stream, head, (websocket) => {
    websocket.on("error", () => websocket.terminate());
    proxy.connected.resolve(websocket);
  });
}
