// The HTTP server: health and panel first, then the APIs that are mounted when the service can serve, then 404.
import express, { type Express, type NextFunction, type Request, type Response } from "express";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerOptions } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { mountHealth, type Health } from "../../src/observability/health.js";
import type { Logger } from "../../src/observability/log.js";
import { requestIdOf } from "../../src/http/requestId.js";
import { connectionsRefused } from "../../src/observability/metrics.js";
import { countAs, countRequests } from "../../src/http/countRequests.js";
import { transportHeaders } from "../../src/http/pageHeaders.js";
import { MalformedRequests } from "./malformed.js";
import { refuseWhileStarting } from "./starting.js";

/** Longer than the idle time-outs of common proxies: so the proxy closes first, and no request meets a closing connection. */
const KEEP_ALIVE_MS = 75_000;
/** How long clients are asked to disconnect before connections are closed: a request sent to a closed one would be lost. */
const LEAVE_MS = 250;
const DRAIN_MS = 8_000;
const SWEEP_MS = 50;
/** How long a client may take to send its headers, and its whole request: 1 MiB at 17 KB a second. */
const ARRIVAL = { headersTimeout: 15_000, requestTimeout: 60_000, connectionsCheckingInterval: 2_000 };
const MOST_CONNECTIONS = 50_000;

/** The HTTP server of the process. */
export interface HttpServer {
  readonly app: Express;
  /** Answers requests with exactly this path (and any query) without Express: for those that come thousands of times a second. */
  readonly shortcut: (path: string, listener: RequestListener) => void;
  /** Answers what the parser refuses, from the beginning. */
  readonly malformed: MalformedRequests;
  readonly server: Server;
  /** Base URL it listens on. */
  readonly url: string;
  /** To be called when all APIs are mounted: other paths are answered with 404, faults with 500. */
  finish(): void;
  /** Asks clients to disconnect, accepts no more connections, waits for requests in progress, then closes the rest. */
  close(): Promise<void>;
}

interface HttpParts {
  readonly bind: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly health: Health;
  readonly log: Logger;
  /** How long clients are asked to disconnect before their connections are closed; shorter if all have left. Milliseconds. */
  readonly leaveMs?: number;
  /** Most connections at once; further ones are closed. */
  readonly mostConnections?: number;
  /** How long clients may take to send their headers and their whole request, and how often that is checked. Milliseconds. */
  readonly arrival?: Pick<ServerOptions, "headersTimeout" | "requestTimeout" | "connectionsCheckingInterval">;
  /** Mounts what is served while the service starts, too. */
  readonly early?: (app: Express) => void;
}

/** Listens, at first with the health endpoints and `early` only. @throws Error when the address cannot be used */
export async function openHttpServer(parts: HttpParts): Promise<HttpServer> {
  const { bind, port, health, log, leaveMs = LEAVE_MS } = parts;
  const app = express().disable("x-powered-by").disable("etag").set("query parser", "simple");
  app.use((request: Request, response: Response, next: NextFunction) => {
    requestIdOf(request, response);
    response.set(transportHeaders(request.headers["x-forwarded-proto"]));
    next();
  }, countRequests);
  mountHealth(app, health);
  parts.early?.(app);
  app.use(refuseWhileStarting(health));
  const shortcuts = new Map<string, RequestListener>();
  const malformed = new MalformedRequests();
  const server = boundedServer((request, response) => {
    if (malformed.refuseWithoutHost(request, response)) return;
    const shortcut = health.phase === "starting" ? undefined : shortcuts.get(pathOf(request));
    if (shortcut === undefined) app(request, response);
    else shortcut(request, response);
  }, parts);
  malformed.watch(server);
  const leave = askToLeave(server, leaveMs);
  await listen(server, bind, port);
  return {
    app,
    shortcut(path, listener) {
      const count = countAs(path);
      shortcuts.set(path, (request, response) => {
        count(response);
        listener(request, response);
      });
    },
    malformed,
    server,
    url: urlOf(server),
    finish() {
      app.use((_request: Request, response: Response) => refuse(response, 404, "There is nothing here"));
      app.use(answerFault(log));
    },
    async close() {
      await leave();
      await close(server);
    },
  };
}

/** Cuts off requests that arrive too slowly (408), and connections beyond the limit. */
function boundedServer(listener: RequestListener, parts: HttpParts): Server {
  const { log, mostConnections = MOST_CONNECTIONS, arrival = ARRIVAL } = parts;
  const server = createServer({ ...arrival, requireHostHeader: false }, listener);
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.maxConnections = mostConnections;
  server.on("drop", () => {
    connectionsRefused.inc();
    log.debug({ mostConnections }, "all connections are taken: one more was refused");
  });
  return server;
}

function pathOf({ url = "" }: IncomingMessage): string {
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
}

/** @returns a function that asks all clients to disconnect with their next answer, and waits until they have or the time is up */
function askToLeave(server: Server, leaveMs: number): () => Promise<void> {
  let leaving = false;
  server.prependListener("request", (_request, response) => {
    if (leaving) response.setHeader("Connection", "close");
  });
  return async () => {
    leaving = true;
    const giveUp = performance.now() + leaveMs;
    while (performance.now() < giveUp && (await connectionsOf(server)) > 0) await delay(SWEEP_MS);
  };
}

const connectionsOf = (server: Server): Promise<number> => {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  return promise;
};

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const reason = error.code === "EADDRINUSE" ? "is in use" : `cannot be used: ${error.message}`;
      reject(new Error(`The address ${host}, port ${port} ${reason}`, { cause: error }));
    });
    server.listen({ host, port }, resolve);
  });
}

function urlOf(server: Server): string {
  const { address, family, port } = addressOf(server);
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}

function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("The HTTP server has no address");
  return address;
}

async function close(server: Server): Promise<void> {
  const drained = new AbortController();
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Connections that clients keep alive become idle one by one, with the last answer on each.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const overdue = delay(DRAIN_MS, undefined, { signal: drained.signal }).then(
    () => server.closeAllConnections(),
    () => undefined,
  );
  await closed;
  clearInterval(sweep);
  drained.abort();
  await overdue;
}

function refuse(response: Response, status: number, error: string): void {
  response.status(status).json({ success: false, data: null, error });
}

/** Answers malformed requests with their status; everything else is logged, and answered without details. */
function answerFault(log: Logger) {
  return (error: unknown, request: Request, response: Response, next: NextFunction): void => {
    if (response.headersSent) return next(error);
    const status = error instanceof Error ? Number(Reflect.get(error, "status")) : Number.NaN;
    if (status >= 400 && status < 500) return refuse(response, status, "The request is malformed");
    const requestId = requestIdOf(request, response);
    log.error({ err: error, requestId }, "a request failed");
    refuse(response, 500, `Internal error (request ${requestId})`);
  };
}
