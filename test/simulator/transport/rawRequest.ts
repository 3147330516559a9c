// Sends one HTTPS request to a simulated host exactly as told and gives back everything that came.
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Agent, request } from "node:https";

export interface RawRequest {
  method?: string;
  /** Whole path with its query. */
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

export interface RawAnswer {
  status: number;
  reason: string;
  headers: IncomingHttpHeaders;
  text: string;
  /** Milliseconds from sending to the last byte. */
  took: number;
}

/** Uses a connection of its own unless an agent is given. */
export async function rawRequest(
  url: string,
  { method = "GET", path, headers = {}, body = "" }: RawRequest,
  shared?: Agent,
): Promise<RawAnswer> {
  const agent = shared ?? new Agent({ keepAlive: true });
  const started = performance.now();
  try {
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      const sending = request(url + path, { method, headers, agent, rejectUnauthorized: false }, resolve);
      sending.on("error", reject);
      sending.end(body);
    });
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(Buffer.from(chunk));
    return {
      status: message.statusCode ?? 0,
      reason: message.statusMessage ?? "",
      headers: message.headers,
      text: Buffer.concat(chunks).toString("utf8"),
      took: performance.now() - started,
    };
  } finally {
    if (shared === undefined) agent.destroy();
  }
}

/** Header of a token. */
export function tokenHeader(secret: string, label = "root@pam!panel"): Record<string, string> {
  return { Authorization: `PVEAPIToken=${label}=${secret}` };
}

/** Headers and body of a form. */
export function form(values: Record<string, string>): { headers: Record<string, string>; body: string } {
  const body = new URLSearchParams(values).toString();
  return {
    headers: { "Content-Type": "application/x-www-form-urlencoded", "Content-Length": String(body.length) },
    body,
  };
}
