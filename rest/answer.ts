// Composes answers: the envelope of REST v1, the short body of the token checks, and the status of each refusal.
import { JsonText } from "../src/json/jsonText.js";
import { httpStatusOf, type DroverError, type ErrorKind } from "../src/errors/errors.js";

/** An answer, ready to be written. */
export interface Answer {
  readonly status: number;
  /** JSON. */
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Whether the request was not done, for whatever reason. */
export const isRefusal = ({ status }: Answer): boolean => status >= 400;

/** The answer to a request that succeeded; a page of a list brings its `meta` along. */
export function success(data: unknown, status = 200): Answer {
  const [payload, meta] = isPage(data) ? [data.items, data.meta] : [data, undefined];
  if (!(payload instanceof JsonText)) {
    // As a whole: to join texts of megabytes is to copy them.
    return { status, body: JSON.stringify({ success: true, data: payload, error: null, meta }) };
  }
  const tail = meta === undefined ? "" : `,"meta":${JSON.stringify(meta)}`;
  return { status, body: `{"success":true,"data":${payload.text},"error":null${tail}}` };
}

interface PageOfList {
  readonly items: unknown;
  readonly meta: unknown;
}

const isPage = (data: unknown): data is PageOfList =>
  typeof data === "object" && data !== null && "items" in data && "meta" in data;

/** The envelope of a failure. */
export const failure = (status: number, message: string, headers: Record<string, string> = {}): Answer => ({
  status,
  body: JSON.stringify({ success: false, data: null, error: message }),
  headers,
});

/** Refusals of the token checks, which answer without the envelope. */
export const SHORT_BODIES: ReadonlySet<ErrorKind> = new Set<ErrorKind>(["unauthenticated", "forbidden", "rateLimited"]);

/** The answer to a request that the service refuses. */
export function refusal(error: DroverError): Answer {
  const headers: Record<string, string> = {};
  if (error.kind === "unauthenticated") headers["WWW-Authenticate"] = "Bearer";
  if (error.retryAfterSeconds !== undefined) headers["Retry-After"] = String(error.retryAfterSeconds);
  const status = httpStatusOf[error.kind];
  if (!SHORT_BODIES.has(error.kind)) return failure(status, error.message, headers);
  return { status, body: JSON.stringify({ error: error.message }), headers };
}
