// Builds what goes back over the wire: status, reason phrase, and a body in the shape of the asked formatter.
import { STATUS_CODES } from "node:http";
import type { ApiAnswer, ApiError } from "../api.js";
import type { TransportTraits } from "./traits.js";

/** One response before it is written. */
export interface Reply {
  status: number;
  /** Reason phrase; only its first line is sent. */
  reason: string;
  contentType?: string;
  body?: string;
}

/** Formatters that this server knows; others are refused. */
export type Format = "json" | "extjs";

const jsonType = "application/json;charset=UTF-8";

/** True for the formatters that this server knows. */
export function isFormat(name: string): name is Format {
  return name === "json" || name === "extjs";
}

/** A success: `data`, and `total` and `changes` where the method gives them. */
export function successReply(answer: ApiAnswer, format: Format): Reply {
  const { data, total, changes, text } = answer;
  if (text !== undefined) return { status: 200, reason: "OK", contentType: "text/plain", body: text };
  return jsonReply(200, "OK", {
    data,
    ...(format === "extjs" ? { success: 1 } : {}),
    ...(total ? { total } : {}),
    ...(changes ? { changes } : {}),
  });
}

/** A refusal by a method: text in the reason phrase, in the body where the release does that, always 200 for extjs. */
export function refusalReply(error: ApiError, format: Format, traits: TransportTraits): Reply {
  const { status } = error;
  // What a proxying node says of an unreachable one never saw a formatter.
  if (status >= 595) return bareReply(status, error.message);
  // The router's own "not implemented" is the one text that ends without a newline.
  const message = status === 501 ? error.message : `${error.message}\n`;
  const errors = error.errors === undefined ? {} : { errors: error.errors };
  if (format === "extjs") {
    // Refusals with a code of their own have been printed once, which makes the number a text; a plain death has none.
    const shown = status === 400 || status === 403 ? String(status) : status;
    return jsonReply(200, "OK", { data: null, success: 0, status: shown, message, ...errors });
  }
  return jsonReply(status, error.message, { data: null, ...(traits.errorsInBody ? { message } : {}), ...errors });
}

/** A refusal by the server itself: plain text without a content type, since 8.4 also in the body. */
export function plainReply(status: number, text: string, traits: TransportTraits): Reply {
  return { status, reason: text, ...(traits.errorsInBody ? { body: text } : {}) };
}

/** The server's answer when code of its own dies on a request: 500, before 8.4 501. */
export function diedReply(text: string, traits: TransportTraits): Reply {
  return plainReply(traits.errorsInBody ? 500 : 501, text, traits);
}

/** Nothing but a status line. */
export function bareReply(status: number, reason: string): Reply {
  return { status, reason };
}

function jsonReply(status: number, reason: string, body: Record<string, unknown>): Reply {
  return { status, reason: reason || (STATUS_CODES[status] ?? ""), contentType: jsonType, body: JSON.stringify(body) };
}
