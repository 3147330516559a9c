// Sends one recorded request to a simulated host over a connection of its own.
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import type { Exchange } from "./recording.js";
import type { Placeholders } from "./placeholders.js";

/** An answer as it came over the wire. */
export interface Answer {
  status: number;
  reason: string;
  contentType: string | undefined;
  connection: string | undefined;
  /** Parsed JSON, or the text when it is none. */
  body: unknown;
  /** First frame that came after a change of protocol; null: none. */
  frame?: string | null;
}

/** A request ready to be sent. */
export interface Outgoing {
  port: number;
  method: string;
  /** Whole path with query, percent-encoded. */
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** What a recorded request is rewritten with. */
interface Rewriting {
  port: number;
  placeholders: Placeholders;
  /** Seconds that lie between the recording's clock and ours at this request. */
  secondsLater: number;
  /** Authorization, cookie and CSRF headers. */
  credentials: Record<string, string>;
  /** Digest of the guest that the path names, as it is now; null: the path names none. */
  digest: string | null;
}

const timeParameters: ReadonlySet<string> = new Set(["expire", "since", "until"]);
/** Smaller numbers are no points in time: 0 stands for never. */
const firstPointInTime = 1_000_000_000;

/** Rewrites a recorded request for this replay. */
export function prepare(exchange: Exchange, rewriting: Rewriting): Outgoing {
  const { port, placeholders } = rewriting;
  const { contentType, text } = bodyOf(exchange, rewriting);
  const headers: Record<string, string> = { ...rewriting.credentials, ...exchange.request_headers };
  if (contentType !== undefined) headers["Content-Type"] = contentType;
  if (exchange.request_transfer_encoding !== undefined)
    headers["Transfer-Encoding"] = exchange.request_transfer_encoding;
  else if (text !== "" || contentType !== undefined) headers["Content-Length"] = String(Buffer.byteLength(text));
  const query = encodeForm(exchange.query ?? [], rewriting);
  const path = addressOf(exchange, placeholders) + (query === "" ? "" : `?${query}`);
  return { port, method: exchange.method, path, headers, body: text };
}

/**
 * The recording does not say whether a path is meant below `/api2/json`; only a request outside the API is answered
 * "no such file".
 */
function addressOf(exchange: Exchange, placeholders: Placeholders): string {
  const path = exchange.path
    .split("/")
    .map((segment) => encodeURIComponent(placeholders.toOurs(decodeSegment(segment))))
    .join("/");
  const isComplete = path.startsWith("/api2/") || exchange.reason.startsWith("no such file");
  return isComplete ? path : `/api2/json${path}`;
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function bodyOf(exchange: Exchange, rewriting: Rewriting): { contentType: string | undefined; text: string } {
  const contentType = exchange.request_content_type;
  if (exchange.raw !== undefined) return { contentType, text: expandRaw(exchange.raw) };
  if (exchange.json !== undefined) {
    return { contentType: "application/json", text: rewriting.placeholders.toOurs(JSON.stringify(exchange.json)) };
  }
  if (exchange.form === undefined) return { contentType, text: "" };
  return { contentType: "application/x-www-form-urlencoded", text: encodeForm(exchange.form, rewriting) };
}

function expandRaw(raw: string): string {
  const length = /^<(\d+) characters>$/.exec(raw)?.[1];
  return length === undefined ? raw : "x".repeat(Number(length));
}

function encodeForm(values: readonly [string, string | number | boolean][], rewriting: Rewriting): string {
  const pairs = values.map(([name, value]) => [name, rewrite(name, value, rewriting)]);
  return pairs.map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
}

function rewrite(name: string, value: string | number | boolean, rewriting: Rewriting): string {
  const time = Number(value);
  if (timeParameters.has(name) && time > firstPointInTime) return String(Math.round(time + rewriting.secondsLater));
  const known = rewriting.placeholders.toOurs(String(value));
  // A digest that no recorded answer showed was read just before; those of one character are wrong on purpose.
  const isUnknown = name === "digest" && known === value && /^(?!(.)\1*$)[\da-f]{40}$/.test(known);
  if (!isUnknown || rewriting.digest === null) return known;
  rewriting.placeholders.set(known, rewriting.digest);
  return rewriting.digest;
}

/** Sends the request; certificates are compared by nobody here, the replay made them itself. */
export async function send(outgoing: Outgoing): Promise<Answer> {
  const { port, method, path, headers, body } = outgoing;
  // An agent that would keep the connection sends no "Connection: close", just as the recorder's client did not.
  const agent = new Agent({ keepAlive: true });
  try {
    const options = { host: "127.0.0.1", port, method, path, headers, agent, rejectUnauthorized: false };
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      const sending = request(options, resolve);
      sending.on("error", reject);
      sending.end(body);
    });
    return await readAnswer(message);
  } finally {
    agent.destroy();
  }
}

/** Reads the whole answer. */
export async function readAnswer(message: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(Buffer.from(chunk));
  const text = Buffer.concat(chunks).toString("utf8");
  return {
    status: message.statusCode ?? 0,
    reason: Buffer.from(message.statusMessage ?? "", "latin1").toString("utf8"),
    contentType: message.headers["content-type"],
    connection: message.headers.connection,
    body: parseBody(text),
  };
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
