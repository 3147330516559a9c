// Stands between an example and the service: disturbs requests as networks, restarts and limits do, and notes what is sent.
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { keptServer } from "../../support/keptServer.js";

/** A request that came. */
export interface Relayed {
  readonly method: string;
  /** Below `/api/v1`, with its query string. */
  readonly path: string;
  readonly json: unknown;
  /** When it came, ms. */
  readonly at: number;
}

interface RelayedAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** `lost`: the connection breaks without an answer; a number: this status with `Retry-After`; null: the service answers. */
export type Disturbance = "lost" | 429 | 503 | null;

export const RETRY_AFTER_SECONDS = 1;

interface RelayParts {
  /** `http://127.0.0.1:<port>` of the service. */
  readonly origin: string;
  readonly disturb: (request: Relayed) => Promise<Disturbance>;
  /** Called with each answer of the service itself before it is passed on. */
  readonly answered: (request: Relayed, answer: RelayedAnswer) => void;
}

export interface Relay {
  readonly origin: string;
  close(): void;
}

/** Starts a relay on a free port. */
export async function startRelay({ origin, disturb, answered }: RelayParts): Promise<Relay> {
  const server = keptServer((request, response) => {
    // An error here, such as a failed assertion, fails the example, which prints it.
    relay(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The relay has no port");
  return {
    origin: `http://127.0.0.1:${address.port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };

  async function relay(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const { method = "", url = "", headers } = request;
    const json: unknown = body.trim() === "" ? undefined : JSON.parse(body);
    const relayed = { method, path: url.replace(/^\/api\/v1/, ""), json, at: performance.now() };
    const disturbance = await disturb(relayed);
    if (disturbance === "lost") return void request.socket.destroy();
    if (disturbance !== null) {
      response.writeHead(disturbance, { "Retry-After": RETRY_AFTER_SECONDS }).end(JSON.stringify({ error: "Busy" }));
      return;
    }
    const answer = await fetch(origin + url, {
      method,
      headers: { Authorization: headers.authorization ?? "", "Content-Type": headers["content-type"] ?? "" },
      ...(json === undefined ? {} : { body }),
    });
    const sent = await answer.text();
    answered(relayed, { status: answer.status, headers: answer.headers, body: JSON.parse(sent) });
    response.writeHead(answer.status).end(sent);
  }
}
