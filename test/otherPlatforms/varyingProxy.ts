// Stands between the driver and a host, and passes on every answer in another of the ways in which it may be given.
import { X509Certificate } from "node:crypto";
import { createServer } from "node:https";
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from "node:http";
import type { HostConnection } from "../../src/hypervisor/connection.js";
import { parseJson } from "../../src/hypervisor/proxmox/errors.js";
import { isRecord } from "../../src/hypervisor/proxmox/parse.js";
import { closeServer, identity, listen } from "../hypervisor/support/scriptedHost.js";
import { dice, once, pick, type Dice } from "./dice.js";
import { arrived, send, type Answer } from "./sending.js";
import { Upstream } from "./upstream.js";
import { varied, written, type Question } from "./variations.js";

export interface ProxyOptions {
  /** Null: answers are passed on as they are. */
  readonly seed: number | null;
  /** Answers to questions are remembered here, and given again as they were: for every proxy with the same memory. */
  readonly memory?: Map<string, Answer>;
  /** Tasks are unknown as soon as they have ended. */
  readonly forgetful?: boolean;
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
    arrived(request.socket);
    const question = `${request.method} ${request.url}`;
    const count = (counts.get(question) ?? 0) + 1;
    counts.set(question, count);
    const draw = options.seed === null ? null : dice(options.seed, question, count);
    const fails = isFaulty() && request.method === "GET" && count === 1 && draw !== null && once(draw, 3);
    const passing = { request, response, draw, upstream, fails, isForgetful: options.forgetful ?? false };
    pass(passing).catch((error: Error) => response.destroy(error));
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
  readonly isForgetful: boolean;
}

async function pass({ request, response, draw, upstream, fails, isForgetful }: Passing): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const url = (request.url ?? "/").replaceAll(encodeURIComponent(OTHER_USER), encodeURIComponent(OWN_USER));
  if (fails && draw !== null) return send(response, pick(draw, FAULTS), draw);
  const asked = { method: request.method ?? "GET", url: shortPages(url), headers: request.headers };
  const answer = await upstream.ask(asked, Buffer.concat(chunks));
  if (draw === null) return send(response, answer, null);
  if (request.method !== "GET" && once(draw, 2)) await upstream.untilEnded(answer, request.headers);
  if (isForgetful && isEnd(url, answer)) return send(response, otherRefusal(NO_SUCH_TASK, draw), draw);
  const { pathname, searchParams } = new URL(url, "https://host");
  const question = { path: pathname.replace(/^\/api2\/json/, ""), isFiltered: searchParams.has("content") };
  if (answer.status >= 400) return send(response, otherRefusal(answer, draw), draw);
  const success = otherSuccess(answer, question, draw);
  return send(response, request.method === "GET" ? success : bareSuccess(success, draw), draw);
}

/** A log is given in pages of a few lines, however many are asked for. */
const shortPages = (url: string): string => (url.includes("/log?") ? url.replace(/limit=\d+/, "limit=20") : url);

/** A question that is answered so is asked again. */
const FAULTS: readonly Answer[] = [
  { status: 595, reason: "No route to host", body: "" },
  { status: 596, reason: "Connection timed out", body: "" },
  { status: 599, reason: "Too many redirections", body: "" },
  { status: 500, reason: "got no worker", body: "" },
  { status: 502, reason: "Bad Gateway", body: "<!DOCTYPE html>\n<html><body>502 Bad Gateway</body></html>" },
  { status: 503, reason: "", body: "<html>" },
  { status: 504, reason: "Gateway Timeout", body: "upstream request timeout" },
];

const NO_SUCH_TASK: Answer = {
  status: 400,
  reason: "Parameter verification failed.",
  body: JSON.stringify({ data: null, errors: { upid: "no such task" } }),
};

const isEnd = (url: string, { body }: Answer): boolean =>
  url.includes("/tasks/UPID") && url.endsWith("/status") && body.includes('"stopped"');

function otherSuccess({ body, ...rest }: Answer, question: Question, draw: Dice): Answer {
  const { data, total, ...others } = keysOf(body);
  const isLogin = question.path === "/access/ticket";
  const counted = total === undefined || once(draw, 3) ? {} : { total: pick(draw, [total, `${Number(total)}`]) };
  const answer = { data: isLogin ? data : varied(data, question, draw), ...counted, ...others };
  const end = once(draw, 2) ? "OK" : "WARNINGS: 2";
  const text = written(answer, draw).replaceAll(OWN_USER, OTHER_USER);
  return { ...rest, reason: "OK", body: text.replace(/("exitstatus": ?)"OK/, `$1"${end}`) };
}

/** A change without a result may be answered with nothing. */
function bareSuccess(answer: Answer, draw: Dice): Answer {
  if (keysOf(answer.body)["data"] !== null || once(draw, 2)) return answer;
  return pick(draw, [
    { ...answer, body: "{}" },
    { ...answer, body: "" },
    { status: 204, reason: "No Content", body: "" },
  ]);
}

/** Before 8.4 the words are in the reason phrase alone; of parameters, only the body says which. Some tell them in the body alone. */
function otherRefusal({ status, reason, body }: Answer, draw: Dice): Answer {
  const { errors, message = reason } = keysOf(body);
  if (status !== 401 && once(draw, 3)) {
    const told =
      errors === undefined && once(draw, 2) ? String(message) : written({ data: null, errors, message }, draw);
    return { status, reason: pick(draw, [STATUS_CODES[status] ?? "", ""]), body: told };
  }
  const told = once(draw, 2) ? { data: null, errors } : { data: null, errors, message };
  return { status, reason, body: errors === undefined && once(draw, 2) ? "" : written(told, draw) };
}

/** None of a body that is no JSON object. */
function keysOf(body: string): Readonly<Record<string, unknown>> {
  const parsed = parseJson(body);
  return isRecord(parsed) ? parsed : {};
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

  /** Whether many a question is answered with a fault when it is asked for the first time. */
  setFaulty(faulty: boolean): void {
    this.#faulty = faulty;
  }

  async close(): Promise<void> {
    for (const proxy of this.#proxies.values()) await (await proxy).close();
  }
}
