// Sends one JSON request over HTTP or HTTPS with an overall time limit, on kept-alive connections.
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { PinnedAgent } from "./pinnedAgent.js";

export interface HttpCall {
  readonly method: "GET" | "POST" | "PUT";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON when given. */
  readonly body?: unknown;
  /** From the first byte sent to the last byte received. */
  readonly timeoutMs: number;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The parsed JSON, or undefined when the body is none. */
  readonly body: unknown;
}

export interface Trust {
  /** PEM text of the certificates to trust instead of the system's. */
  readonly ca?: string | undefined;
  /** SHA-256 of the one certificate to trust. */
  readonly fingerprint?: string | undefined;
}

const CLOSED = "the connection was closed because the agent stops";
const LARGEST_ANSWER_BYTES = 8 * 1024 * 1024;
const KEEP_ALIVE = { keepAlive: true, maxSockets: 16 };

/** A client that can be closed: calls that are under way then fail at once. */
export class HttpClient {
  readonly #underWay = new Set<ClientRequest>();
  readonly #plain = new HttpAgent(KEEP_ALIVE);
  readonly #secure: HttpsAgent;
  #closed = false;

  constructor(trust: Trust = {}) {
    this.#secure =
      trust.fingerprint === undefined
        ? new HttpsAgent({ ...KEEP_ALIVE, ca: trust.ca })
        : new PinnedAgent(KEEP_ALIVE, trust.fingerprint);
  }

  /** Sends the call; throws with a readable message when no complete answer comes. Redirects are not followed. */
  async send(call: HttpCall): Promise<HttpReply> {
    try {
      return await this.#sendOnce(call);
    } catch (error) {
      // A kept-alive connection that the other side closed at this moment says nothing about the service.
      if (error instanceof StaleConnection) return await this.#sendOnce(call);
      throw error;
    }
  }

  /** Ends every call that is under way and refuses new ones. */
  close(): void {
    this.#closed = true;
    for (const request of this.#underWay) request.destroy(new Error(CLOSED));
    this.#plain.destroy();
    this.#secure.destroy();
  }

  #sendOnce(call: HttpCall): Promise<HttpReply> {
    if (this.#closed) return Promise.reject(new Error(CLOSED));
    return new Promise((resolve, reject) => {
      const request = this.#open(call);
      const end = (): void => {
        clearTimeout(timer);
        this.#underWay.delete(request);
      };
      const fail = (error: Error): void => {
        end();
        reject(isStale(error, request) ? new StaleConnection(error.message) : error);
        request.destroy();
      };
      const timer = setTimeout(() => fail(new Error(`no answer within ${call.timeoutMs / 1000} s`)), call.timeoutMs);
      this.#underWay.add(request);
      request.on("error", fail);
      request.on("response", (response) => {
        readAnswer(response).then(resolve, fail).finally(end);
      });
      request.end(call.body === undefined ? undefined : JSON.stringify(call.body));
    });
  }

  #open(call: HttpCall): ClientRequest {
    const secure = call.url.startsWith("https:");
    const content = call.body === undefined ? {} : { "content-type": "application/json" };
    const headers = { accept: "application/json", ...content, ...call.headers };
    const open = secure ? httpsRequest : httpRequest;
    return open(call.url, { method: call.method, headers, agent: secure ? this.#secure : this.#plain });
  }
}

class StaleConnection extends Error {}

function isStale(error: Error, request: ClientRequest): boolean {
  return request.reusedSocket && "code" in error && (error.code === "ECONNRESET" || error.code === "EPIPE");
}

function readAnswer(response: IncomingMessage): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    response.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > LARGEST_ANSWER_BYTES) reject(new Error("the answer is too large"));
    });
    // Node.js 12 only says "aborted" where later versions also emit an error.
    response.on("aborted", () => reject(new Error("the connection was closed in the middle of the answer")));
    response.on("error", reject);
    response.on("end", () => {
      const body = parseJson(Buffer.concat(chunks).toString("utf8"));
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
    });
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
