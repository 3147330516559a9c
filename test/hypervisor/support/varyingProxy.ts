// Stands between the driver and a host, and passes on every answer in another of the ways in which it may be written.
import { X509Certificate } from "node:crypto";
import { Agent, createServer, request as askHttps } from "node:https";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { HostConnection } from "../../../src/hypervisor/connection.js";
import { parseJson } from "../../../src/hypervisor/proxmox/errors.js";
import { isRecord } from "../../../src/hypervisor/proxmox/parse.js";
import { closeServer, identity, listen } from "./scriptedHost.js";
import { anyCase, dice, pick, varied, written, type Dice } from "./variations.js";

/** What a host answered. */
interface Answer {
  readonly status: number;
  readonly reason: string;
  readonly body: string;
}

export interface ProxyOptions {
  /** Null: answers are passed on as they are. */
  readonly seed: number | null;
  /** Answers to questions are remembered here, and given again as they were: for every proxy with the same memory. */
  readonly memory?: Map<string, Answer>;
}

interface VaryingProxy {
  /** The same connection by way of the proxy. */
  readonly connection: HostConnection;
  close(): Promise<void>;
}

/** Whom the task ids name in the host's own words, and as the proxy calls him. */
const OWN_USER = ":root@pam!panel:";
const OTHER_USER = ":J.Doe+x_1@corp-AD.example!pa.nel-2:";

async function startVaryingProxy(
  target: HostConnection,
  options: ProxyOptions,
  isFaulty: () => boolean,
): Promise<VaryingProxy> {
  const { private: key, cert } = await identity;
  const upstream = new Upstream(target, options.memory);
  const counts = new Map<string, number>();
  const server = createServer({ key, cert }, (request, response) => {
    const question = `${request.method} ${request.url}`;
    const count = (counts.get(question) ?? 0) + 1;
    counts.set(question, count);
    const draw = options.seed === null ? null : dice(options.seed, question, count);
    const fails = isFaulty() && request.method === "GET" && count % 2 === 1;
    pass({ request, response, draw, upstream, fails }).catch((error: Error) => response.destroy(error));
  });
  const port = await listen(server);
  const tlsFingerprint = new X509Certificate(cert).fingerprint256;
  return {
    connection: { ...target, port, tlsFingerprint },
    async close() {
      upstream.close();
      await closeServer(server);
    },
  };
}

interface Passing {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Null: nothing is varied. */
  readonly draw: Dice | null;
  readonly upstream: Upstream;
  readonly fails: boolean;
}

async function pass({ request, response, draw, upstream, fails }: Passing): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const url = (request.url ?? "/").replaceAll(encodeURIComponent(OTHER_USER), encodeURIComponent(OWN_USER));
  if (fails && draw !== null) return send(response, pick(draw, FAULTS), draw);
  const asked = { method: request.method ?? "GET", url: shortPages(url), headers: request.headers };
  const answer = await upstream.ask(asked, Buffer.concat(chunks));
  if (draw === null) return send(response, answer, null);
  if (request.method !== "GET" && draw(2) === 0) await upstream.untilEnded(answer, request.headers);
  const path = new URL(url, "https://host").pathname.replace(/^\/api2\/json/, "");
  send(response, answer.status < 400 ? otherSuccess(answer, path, draw) : otherRefusal(answer, draw), draw);
}

/** A log is given in pages of a few lines, however many are asked for. */
const shortPages = (url: string): string => (url.includes("/log?") ? url.replace(/limit=\d+/, "limit=20") : url);

/** A question that is answered so is asked again. */
const FAULTS: readonly Answer[] = [
  { status: 595, reason: "No route to host", body: "" },
  { status: 596, reason: "Connection timed out", body: "" },
  { status: 500, reason: "got no worker", body: "" },
];

function otherSuccess({ body, ...rest }: Answer, path: string, draw: Dice): Answer {
  const { data, ...others } = keysOf(body);
  const answer = { data: path === "/access/ticket" ? data : varied(data, path, draw), ...others };
  const end = draw(2) === 0 ? "OK" : "WARNINGS: 2";
  const text = written(answer, draw).replaceAll(OWN_USER, OTHER_USER);
  return { ...rest, reason: "OK", body: text.replace(/("exitstatus": ?)"OK"/, `$1"${end}"`) };
}

/** Before 8.4 the words are in the reason phrase alone; of parameters, only the body says which. */
function otherRefusal({ status, reason, body }: Answer, draw: Dice): Answer {
  const { errors, message } = keysOf(body);
  const told = draw(2) === 0 ? { data: null, errors } : { data: null, errors, message };
  return { status, reason, body: errors === undefined && draw(2) === 0 ? "" : written(told, draw) };
}

/** None of a body that is no JSON object. */
function keysOf(body: string): Readonly<Record<string, unknown>> {
  const parsed = parseJson(body);
  return isRecord(parsed) ? parsed : {};
}

/** With or without a length, over a connection that is kept or not. */
function send(response: ServerResponse, { status, reason, body }: Answer, draw: Dice | null): void {
  const name = (header: string): string => (draw === null ? header : anyCase(header, draw));
  const closes = status >= 400 || (draw?.(3) ?? 1) === 0;
  const framing = draw?.(3) ?? 0;
  if (framing === 2) response.useChunkedEncodingByDefault = false;
  response.writeHead(status, reason, [
    name("content-type"),
    "application/json;charset=UTF-8",
    ...(closes || framing === 2 ? [name("connection"), "close"] : []),
    ...(framing === 0 ? [name("content-length"), String(Buffer.byteLength(body))] : []),
    ...(draw?.(2) === 0 ? [name("set-cookie"), "PVELangCookie=en; Path=/"] : []),
  ]);
  const half = Math.floor(body.length / 2);
  response.write(body.slice(0, half));
  response.end(body.slice(half));
}

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** The host behind the proxy. */
class Upstream {
  readonly #agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  readonly #target: HostConnection;
  readonly #memory: Map<string, Answer> | undefined;
  #closed = false;

  constructor(target: HostConnection, memory: Map<string, Answer> | undefined) {
    this.#target = target;
    this.#memory = memory;
  }

  close(): void {
    this.#closed = true;
    this.#agent.destroy();
  }

  async ask(asked: Asked, body: Buffer): Promise<Answer> {
    const remembered = asked.method === "GET" ? this.#memory?.get(asked.url) : undefined;
    if (remembered !== undefined) return remembered;
    const answer = await this.#send(asked, body);
    if (asked.method === "GET") this.#memory?.set(asked.url, answer);
    return answer;
  }

  /** Waits for the task that an answer names, so that it ends before it is first asked for. */
  async untilEnded({ body }: Answer, headers: IncomingHttpHeaders): Promise<void> {
    const [upid, node] = /UPID:([^:]+):[^"]+:/.exec(body) ?? [];
    if (upid === undefined || node === undefined) return;
    const { authorization, cookie } = headers;
    const url = `/api2/json/nodes/${node}/tasks/${encodeURIComponent(upid)}/status`;
    while (!this.#closed) {
      const { body: state } = await this.#send({ method: "GET", url, headers: { authorization, cookie } }, Buffer.of());
      if (!state.includes('"running"')) return;
      await pause(5);
    }
  }

  async #send({ method, url, headers }: Asked, body: Buffer): Promise<Answer> {
    const { hostname, port } = this.#target;
    const own = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
    const wanted = {
      hostname,
      port,
      method,
      path: url,
      agent: this.#agent,
      headers: { ...own, connection: "keep-alive" },
    };
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      askHttps(wanted, resolve).on("error", reject).end(body);
    });
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(Buffer.from(chunk));
    const text = Buffer.concat(chunks).toString("utf8");
    return { status: answer.statusCode ?? 0, reason: answer.statusMessage ?? "", body: text };
  }
}

/** A proxy for each host that is reached, with the same options. */
export class Detours {
  readonly #options: ProxyOptions;
  readonly #proxies = new Map<number, Promise<VaryingProxy>>();
  #faulty = false;

  constructor(options: ProxyOptions) {
    this.#options = options;
  }

  async reach(connection: HostConnection): Promise<HostConnection> {
    const proxy =
      this.#proxies.get(connection.hostId) ?? startVaryingProxy(connection, this.#options, () => this.#faulty);
    this.#proxies.set(connection.hostId, proxy);
    return (await proxy).connection;
  }

  /** Whether every other asking of a question is answered with a fault. */
  setFaulty(faulty: boolean): void {
    this.#faulty = faulty;
  }

  async close(): Promise<void> {
    for (const proxy of this.#proxies.values()) await (await proxy).close();
  }
}
