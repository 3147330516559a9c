// Gives each request an id, by which an answer, the log and a caller's report can be matched.
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

/** Of every answer. */
export const HEADER = "X-Request-Id";
/** What a caller or a proxy may have named it. */
const ACCEPTABLE = /^[\w.:-]{1,128}$/;

/** The request's id: its caller's if that is harmless, else a new one; the answer's `X-Request-Id` is set to it. */
export function requestIdOf(request: IncomingMessage, response: ServerResponse): string {
  const id = requestIdFor(request, response);
  response.setHeader(HEADER, id);
  return id;
}

/** The same for who writes the answer's headers at once, this one among them. */
export function requestIdFor(request: IncomingMessage, response: ServerResponse): string {
  const known = response.getHeader(HEADER);
  if (typeof known === "string") return known;
  const given = request.headers["x-request-id"];
  return typeof given === "string" && ACCEPTABLE.test(given) ? given : randomUUID();
}
