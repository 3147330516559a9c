// Assigns each request an id that links the answer, the log and a caller's report.
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

/** A header of every answer. */
export const HEADER = "X-Request-Id";
/** Accepted ids of callers and proxies. */
const ACCEPTABLE = /^[\w.:-]{1,128}$/;

/** The request's id: the caller's if acceptable, else a new one. Sets the answer's `X-Request-Id`. */
export function requestIdOf(request: IncomingMessage, response: ServerResponse): string {
  const id = requestIdFor(request, response);
  response.setHeader(HEADER, id);
  return id;
}

/** The same id, for callers that write all headers of the answer themselves. */
export function requestIdFor(request: IncomingMessage, response: ServerResponse): string {
  const known = response.getHeader(HEADER);
  if (typeof known === "string") return known;
  const given = request.headers["x-request-id"];
  return typeof given === "string" && ACCEPTABLE.test(given) ? given : randomUUID();
}
