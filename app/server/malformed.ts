// Answers what the HTTP parser refuses before it is a request: as every refusal, with an envelope, a request id and a row in the log.
import { randomUUID } from "node:crypto";
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { plainAddress } from "../../src/access/sourceIp.js";
import { httpRequests } from "../../src/observability/metrics.js";
import { HEADER, requestIdOf } from "../../src/http/requestId.js";
import { refuseInstead } from "../../src/http/sentStatus.js";
import {
  BAD_REQUEST,
  EXPECTATION_FAILED,
  faultOf,
  requestLine,
  type ParserFault,
  type RequestLine,
} from "./parserFault.js";

/** A refused request, for the request log. */
export interface RefusedRequest extends RequestLine {
  readonly sourceIp: string;
  readonly status: number;
}

type RecordRefusal = (refused: RefusedRequest) => void;

/** How long a client may read its answer before its connection is cut: what it goes on to send is read by nobody. */
const LINGER_MS = 1_000;
/** Anybody can send rubbish, as fast as the network carries it: more rows than these would drive others out of the log. */
const ROWS_A_MINUTE = 60;
const MINUTE_MS = 60_000;
const MALFORMED = { method: "unknown", route: "malformed" };
const UNKNOWN_LINE: RequestLine = { method: "-", path: "-" };

export class MalformedRequests {
  readonly #answering = new WeakMap<Duplex, ServerResponse>();
  readonly #refused = new WeakSet<Duplex>();
  #record: RecordRefusal = () => undefined;
  #minute = 0;
  #rows = 0;

  /** Takes over from Node.js, whose own answers have no body. The server must not require the `Host` header by itself. */
  watch(server: Server): void {
    server.prependListener("request", (request, response) => this.#answering.set(request.socket, response));
    server.on("checkExpectation", (request, response) => this.#refuse(request, response, EXPECTATION_FAILED));
    server.on("clientError", (error, socket) => this.#refuseUnparsed(error, socket));
  }

  /** From now on refusals have rows in the log, those of API paths and those whose path is not known. */
  logTo(record: RecordRefusal): void {
    this.#record = record;
  }

  /** @returns whether the request was refused: HTTP/1.1 demands to know the host */
  refuseWithoutHost(request: IncomingMessage, response: ServerResponse): boolean {
    if (request.headers.host !== undefined || request.httpVersion !== "1.1") return false;
    this.#refuse(request, response, { ...BAD_REQUEST, message: "The Host header is missing" });
    return true;
  }

  #refuse(request: IncomingMessage, response: ServerResponse, { status, message }: ParserFault): void {
    requestIdOf(request, response);
    const body = envelope(message);
    response.writeHead(status, { ...headersFor(body) }).end(body);
    const [path = ""] = (request.url ?? "").split("?", 1);
    this.#note({ method: request.method ?? "-", path }, request.socket.remoteAddress, status);
  }

  /**
   * A request that is being answered has its own row. One that came whole, or whose answer is logged already, gets that answer: what
   * follows on its connection is thrown away. What was sent of an answer cannot be withdrawn.
   */
  #refuseUnparsed(error: NodeJS.ErrnoException & { readonly rawPacket?: Buffer }, socket: Duplex): void {
    if (this.#refused.has(socket)) return;
    this.#refused.add(socket);
    const response = this.#answering.get(socket);
    const isAnswering = response !== undefined && !response.writableFinished;
    if (!socket.writable || error.code === "ECONNRESET" || (isAnswering && response.headersSent)) {
      socket.destroy();
      return;
    }
    const fault = faultOf(error.code);
    if (isAnswering) return refuseAnswering(response, socket, fault);
    hangUp(socket, fault, randomUUID());
    this.#note(requestLine(error.rawPacket) ?? UNKNOWN_LINE, addressOf(socket), fault.status);
  }

  #note(line: RequestLine, address: string | undefined, status: number): void {
    httpRequests.inc({ ...MALFORMED, status });
    if (line !== UNKNOWN_LINE && !API_PATH.test(line.path)) return;
    const minute = Math.floor(performance.now() / MINUTE_MS);
    if (minute !== this.#minute) this.#rows = 0;
    this.#minute = minute;
    if (++this.#rows > ROWS_A_MINUTE) return;
    this.#record({ ...line, status, sourceIp: plainAddress(address ?? "") ?? "0.0.0.0" });
  }
}

const API_PATH = /^\/(?:api|graphql)(?:\/|$)/;

const addressOf = (socket: Duplex): string | undefined =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the HTTP server's connections are sockets
  (socket as Socket).remoteAddress;

function refuseAnswering(response: ServerResponse, socket: Duplex, fault: ParserFault): void {
  if (response.req.complete || !refuseInstead(response, fault.status)) {
    response.shouldKeepAlive = false;
    return;
  }
  httpRequests.inc({ ...MALFORMED, status: fault.status });
  const requestId = response.getHeader(HEADER);
  hangUp(socket, fault, typeof requestId === "string" ? requestId : randomUUID());
}

const envelope = (message: string): string => JSON.stringify({ success: false, data: null, error: message });

const headersFor = (body: string): Record<string, string | number> => ({
  "Content-Type": "application/json; charset=utf-8",
  "Content-Length": Buffer.byteLength(body),
  "Cache-Control": "no-store",
  Connection: "close",
});

function hangUp(socket: Duplex, { status, message }: ParserFault, requestId: string): void {
  const body = envelope(message);
  const headers = Object.entries({ ...headersFor(body), [HEADER]: requestId }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...headers, "", body].join("\r\n"));
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
