// Takes one request through pveproxy's steps in its order: verb, encoding, authentication, body, formatter, method.
import type { IncomingMessage } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { ApiAnswer, ApiMethod, ApiRequest, Identity } from "../api.js";
import { ApiError, permissionError } from "../api.js";
import type { ApiAddress, RequestAddress } from "./address.js";
import type { Verifier } from "./credentials.js";
import { findCredential, identify } from "./credentials.js";
import { JsonBodyError } from "./jsonBody.js";
import { mediaType, mergeParameters, readBody } from "./readBody.js";
import type { Format, Reply } from "./reply.js";
import { bareReply, diedReply, isFormat, plainReply, refusalReply, successReply } from "./reply.js";
import type { TransportTraits } from "./traits.js";
import type { Parameters } from "./urlEncoding.js";

/** Real milliseconds that a failed authentication takes: no simulated clock shortens them. */
export const authenticationDelayMs = 3000;
const openPaths: ReadonlySet<string> = new Set(["GET /access/domains", "GET /access/ticket", "POST /access/ticket"]);

/** What a request is answered with. */
export interface Backend {
  traits: TransportTraits;
  verifier: Verifier;
  handle(request: ApiRequest): Promise<ApiAnswer>;
}

/** One request and where it came in. */
interface Arrival {
  message: IncomingMessage;
  address: RequestAddress;
  /** Node whose port was asked. */
  answeringNode: string;
  /** Milliseconds of `performance.now()`. */
  receivedAt: number;
  /** Told the parameters once they are read, for the journal. */
  onParameters: (parameters: Parameters) => void;
}

/** Answers a request; a failed authentication resolves only after its three seconds. */
export async function answerRequest(arrival: Arrival, backend: Backend): Promise<Reply> {
  const { message, address } = arrival;
  const method = knownMethod(message.method);
  if (method === null) return bareReply(501, `method '${message.method ?? ""}' not available`);
  const encoding = message.headers["transfer-encoding"];
  if (encoding !== undefined) return encodingReply(encoding, backend);
  if (address.api !== null && address.api.format === null) return plainReply(501, "no such uri", backend.traits);
  const caller = await authenticate(arrival, method, backend);
  if (caller instanceof ApiError) return bareReply(401, caller.message);
  return bodyRefusal(message, method, backend) ?? dispatch(arrival, caller, backend);
}

interface Caller {
  method: ApiMethod;
  identity: Identity | null;
}

function knownMethod(method: string | undefined): ApiMethod | null {
  return method === "GET" || method === "POST" || method === "PUT" || method === "DELETE" ? method : null;
}

function encodingReply(encoding: string, { traits }: Backend): Reply {
  const text =
    encoding.toLowerCase() === "chunked"
      ? "chunked transfer encoding not supported"
      : `Unknown transfer encoding '${encoding}'`;
  return plainReply(501, text, traits);
}

async function authenticate(
  { message, address }: Arrival,
  method: ApiMethod,
  { verifier }: Backend,
): Promise<Caller | ApiError> {
  if (address.api === null) return { method, identity: null };
  if (openPaths.has(`${method} ${address.api.methodPath}`)) return { method, identity: null };
  try {
    return { method, identity: identify(message, verifier) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    await wait(authenticationDelayMs);
    return error;
  }
}

/** What a body is refused with, or null when it may be read. */
function bodyRefusal(message: IncomingMessage, method: ApiMethod, { traits }: Backend): Reply | null {
  const length = Number(message.headers["content-length"] ?? 0);
  if (length === 0) return null;
  if (method !== "POST" && method !== "PUT") {
    return plainReply(501, `Unexpected content for method '${method}'`, traits);
  }
  if (length > traits.bodyLimit) return plainReply(501, "for data too large", traits);
  const type = message.headers["content-type"];
  const known = [undefined, "application/x-www-form-urlencoded", "application/json"].includes(mediaType(type));
  return known ? null : plainReply(506, `upload 'Content-Type '${type ?? ""}' not implemented`, traits);
}

async function dispatch(arrival: Arrival, caller: Caller, backend: Backend): Promise<Reply> {
  const { path, api } = arrival.address;
  if (api === null) return diedReply(`no such file '${path}'\n`, backend.traits);
  const format = api.format ?? "";
  if (!isFormat(format)) return plainReply(501, `no formatter for uri ${api.methodPath}, ${format}`, backend.traits);
  try {
    const parameters = await readParameters(arrival, caller.method, backend);
    return await callMethod({ arrival, caller, api, format, parameters }, backend);
  } catch (error) {
    if (error instanceof JsonBodyError) return diedReply(`${error.message}\n`, backend.traits);
    throw error;
  }
}

async function readParameters(arrival: Arrival, method: ApiMethod, backend: Backend): Promise<Parameters> {
  const { message, address } = arrival;
  const body = await readBody(message);
  const type = mediaType(message.headers["content-type"]);
  const parameters = mergeParameters({ method, mediaType: type, body, query: address.query }, backend.traits);
  arrival.onParameters(parameters);
  return parameters;
}

interface Call {
  arrival: Arrival;
  caller: Caller;
  api: ApiAddress;
  format: Format;
  parameters: Parameters;
}

async function callMethod({ arrival, caller, api, format, parameters }: Call, backend: Backend): Promise<Reply> {
  try {
    refuseTokenForTickets(arrival, caller, api);
    const answer = await backend.handle({
      method: caller.method,
      path: api.methodPath,
      segments: api.segments,
      parameters,
      identity: caller.identity,
      sourceAddress: arrival.message.socket.remoteAddress ?? "",
      answeringNode: arrival.answeringNode,
    });
    return successReply(answer, format);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401) await wait(remainingDelay(arrival));
    return refusalReply(error, format, backend.traits);
  }
}

/** A refused login counts the time that it took into its three seconds. */
function remainingDelay({ receivedAt }: Arrival): number {
  return Math.max(0, authenticationDelayMs - (performance.now() - receivedAt));
}

/** Logging in with a token's header is refused before the password is looked at. */
function refuseTokenForTickets({ message }: Arrival, { method, identity }: Caller, { methodPath }: ApiAddress): void {
  const credential = findCredential(message);
  if (identity !== null || method !== "POST" || credential === null || !("token" in credential)) return;
  throw permissionError(`URI '${methodPath}' not available with API token, need proper ticket.\n`);
}
