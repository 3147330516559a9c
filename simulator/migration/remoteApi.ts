// Calls the API of a migration's target the way the source node does, with its certificate pinned.
import type { IncomingMessage } from "node:http";
import { request } from "node:http";
import type { TLSSocket } from "node:tls";
import { connect } from "node:tls";
import { failure } from "../api.js";
import type { Endpoint } from "./endpoint.js";

const timeoutMs = 60_000;
const ports = 65_536;

/** Words of the system for errors of a connection. */
const systemWords: Readonly<Record<string, string>> = {
  ECONNREFUSED: "Connection refused",
  EHOSTUNREACH: "No route to host",
  ENETUNREACH: "Network is unreachable",
  ETIMEDOUT: "Connection timed out",
  EAI_AGAIN: "Temporary failure in name resolution",
  ENOTFOUND: "Name or service not known",
  ECONNRESET: "SSL connect attempt failed",
};

/** The target's API. */
export class RemoteApi {
  constructor(private readonly endpoint: Endpoint) {}

  /** @throws ApiError 500 with the status and reason of the target, or why it was not reached */
  get(path: string): Promise<unknown> {
    return this.#call("GET", path, "");
  }

  /** @throws ApiError as {@link get}; refused parameters follow on lines of their own */
  post(path: string, parameters: Record<string, string>): Promise<unknown> {
    return this.#call("POST", path, new URLSearchParams(parameters).toString());
  }

  async #call(method: string, path: string, body: string): Promise<unknown> {
    const socket = await connectPinned(this.endpoint);
    try {
      return await this.#exchange(socket, { method, path, body });
    } finally {
      socket.destroy();
    }
  }

  async #exchange(socket: TLSSocket, call: { method: string; path: string; body: string }): Promise<unknown> {
    const { method, path, body } = call;
    const isForm = method === "POST";
    const headers = {
      Host: `${this.endpoint.host}:${this.endpoint.port}`,
      Authorization: withScheme(this.endpoint.apiToken),
      ...(isForm ? { "Content-Type": "application/x-www-form-urlencoded", "Content-Length": body.length } : {}),
    };
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      const options = {
        method,
        path: `/api2/json${path}`,
        headers,
        createConnection: () => socket,
        timeout: timeoutMs,
      };
      const sending = request(options, resolve);
      sending.on("error", reject);
      sending.on("timeout", () => sending.destroy(new Error("read timeout")));
      sending.end(body);
    }).catch((error: unknown) => {
      throw failure(`500 ${error instanceof Error ? error.message : String(error)}`);
    });
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(Buffer.from(chunk));
    return readAnswer(message, Buffer.concat(chunks).toString("utf8"));
  }
}

/** The API client adds the scheme where it is missing; the tunnel later does not. */
function withScheme(apiToken: string): string {
  return /^PVEAPIToken[= ]/.test(apiToken) ? apiToken : `PVEAPIToken=${apiToken}`;
}

/**
 * Connects and compares the certificate before anything is sent.
 * @throws ApiError 500 with the fingerprint that was found, or why there is no connection
 */
async function connectPinned({ host, port, fingerprint }: Endpoint): Promise<TLSSocket> {
  const socket = connect({ host, port: portOnWire(port), rejectUnauthorized: false, timeout: timeoutMs });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once("secureConnect", resolve);
      socket.once("error", reject);
      socket.once("timeout", () => reject(Object.assign(new Error("timeout"), { code: "ETIMEDOUT" })));
    });
  } catch (error) {
    socket.destroy();
    throw failure(`500 Can't connect to ${host}:${port} (${systemWord(error)})`);
  }
  const found = socket.getPeerCertificate().fingerprint256;
  if (found !== fingerprint) {
    socket.destroy();
    throw failure(`fingerprint '${found}' not verified, abort!`);
  }
  return socket;
}

/** No number is too large for a port: the resolver takes its lower sixteen bits. */
function portOnWire(port: number): number {
  return ((port % ports) + ports) % ports;
}

function systemWord(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return systemWords[code] ?? (error instanceof Error ? error.message : String(error));
}

interface AnswerBody {
  data?: unknown;
  errors?: Record<string, string>;
}

function readAnswer(message: IncomingMessage, text: string): unknown {
  const body = parseBody(text);
  const status = message.statusCode ?? 0;
  if (status === 200) return body.data;
  const reason = Buffer.from(message.statusMessage ?? "", "latin1").toString("utf8");
  const details = Object.entries(body.errors ?? {}).map(([name, error]) => `\n${name}: ${error.trimEnd()}`);
  throw failure(`${status} ${reason}${details.join("")}`);
}

function parseBody(text: string): AnswerBody {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}
