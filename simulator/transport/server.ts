// Listens for a simulated host: one HTTPS port a node, connections treated as pveproxy treats them.
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { readAddress } from "./address.js";
import { answerRequest } from "./answerRequest.js";
import type { KeyedCertificate } from "./certificates.js";
import type { Interference } from "./interference.js";
import { faultReply } from "./interference.js";
import type { Listening } from "./listen.js";
import { listen } from "./listen.js";
import type { Reply } from "./reply.js";
import { diedReply } from "./reply.js";
import type { JournalEntry } from "./requestJournal.js";
import { maskSecrets } from "./requestJournal.js";
import { isWebSocketRequest, upgrade } from "./upgrade.js";
import { writeReply } from "./writeReply.js";
import type { HostEndpoint } from "./hostEndpoint.js";

/** Header lines (with the empty last one) and their bytes from which a request is left unanswered. */
const headerLineLimit = 64;
const headerByteLimit = 8 * 1024;
/** Real milliseconds after which a silent connection is closed. */
const idleMs = 5000;
const requestsPerConnection = 100;

/** What a port is opened with. */
interface PortOptions {
  node: string;
  /** Loopback address to bind. */
  address: string;
  /** 0 picks a free port. */
  port: number;
  certificate: KeyedCertificate;
}

/**
 * Opens a node's port.
 * @throws Error with the code of `listen` (EADDRINUSE, EADDRNOTAVAIL)
 */
export async function openPort(options: PortOptions, endpoint: HostEndpoint): Promise<Listening> {
  const served = new WeakMap<Socket, number>();
  const server = createServer({
    cert: options.certificate.certificate,
    key: options.certificate.privateKey,
    maxHeaderSize: 256 * 1024,
    keepAliveTimeout: idleMs,
    headersTimeout: idleMs,
    connectionsCheckingInterval: 1000,
    shouldUpgradeCallback: isWebSocketRequest,
  });
  const onRequest = (message: IncomingMessage, response: ServerResponse): void => {
    const before = served.get(message.socket) ?? 0;
    served.set(message.socket, before + 1);
    const exchange = { message, response, keepAlive: before + 1 < requestsPerConnection };
    serve(exchange, options.node, endpoint).catch((error: unknown) => {
      endpoint.reportFault(error);
      response.destroy();
    });
  };
  server.on("request", onRequest);
  // The real server never sends "100 Continue"; it just waits for the body.
  server.on("checkContinue", onRequest);
  server.on("upgrade", (message, stream, head) => {
    upgrade({ message, stream, head }, options.node, endpoint).catch((error: unknown) => {
      endpoint.reportFault(error);
      stream.destroy();
    });
  });
  server.on("clientError", (_error, socket) => socket.destroy());
  server.on("secureConnection", (socket) => {
    if (!endpoint.isOnline(options.node)) socket.destroy();
  });
  return listen(server, options);
}

interface Exchange {
  message: IncomingMessage;
  response: ServerResponse;
  keepAlive: boolean;
}

async function serve(exchange: Exchange, node: string, endpoint: HostEndpoint): Promise<void> {
  const { message, response } = exchange;
  const receivedAt = performance.now();
  if (!endpoint.isOnline(node)) return void response.destroy();
  if (isHeaderTooLarge(message)) return leaveUnanswered(message);
  const url = message.url ?? "/";
  const address = readAddress(url);
  const method = message.method ?? "";
  const path = address.api?.methodPath ?? address.path;
  const entry = endpoint.journal.add(method, path);
  const fault = endpoint.interfere(method, [path, url, address.path]);
  if (fault !== null && fault.delayMs > 0) await wait(fault.delayMs);
  if (fault === null || fault.effect === null || fault.afterwards) {
    const onParameters = (parameters: Record<string, unknown>): void => {
      entry.form = maskSecrets(parameters);
    };
    const arrival = { message, address, answeringNode: node, receivedAt, onParameters };
    const reply = await answerRequest(arrival, endpoint.backend).catch((error: unknown) =>
      error === message.errored ? null : internalFault(error, endpoint),
    );
    // The sender left before the whole request was read: there is nothing to do, and nobody to answer.
    if (reply === null) return void response.destroy();
    if (fault?.effect == null) return finish(exchange, entry, reply);
  }
  if (fault !== null) breakOff({ exchange, entry, fault }, endpoint);
}

function internalFault(error: unknown, endpoint: HostEndpoint): Reply {
  endpoint.reportFault(error);
  const text = error instanceof Error ? error.message : String(error);
  return diedReply(`simulator fault: ${text}\n`, endpoint.backend.traits);
}

function finish(exchange: Exchange, entry: JournalEntry, reply: Reply): void {
  entry.status = reply.status;
  exchange.message.resume();
  writeReply(exchange.message, exchange.response, reply, exchange.keepAlive);
}

interface Break {
  exchange: Exchange;
  entry: JournalEntry;
  fault: Interference;
}

function breakOff({ exchange, entry, fault }: Break, endpoint: HostEndpoint): void {
  if (fault.effect === "hang") return;
  if (fault.effect === "drop") return void exchange.response.destroy();
  finish(exchange, entry, faultReply(fault, endpoint.backend.traits));
}

function isHeaderTooLarge({ rawHeaders }: IncomingMessage): boolean {
  const lines = rawHeaders.length / 2 + 1;
  const bytes = rawHeaders.reduce((sum, text) => sum + text.length, 0) + rawHeaders.length;
  return lines >= headerLineLimit || bytes >= headerByteLimit;
}

/** The real server gives up on such a request without a word and lets the connection time out. */
async function leaveUnanswered(message: IncomingMessage): Promise<void> {
  await wait(idleMs, undefined, { ref: false });
  message.socket.destroy();
}
