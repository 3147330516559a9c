// Calls the API of one host: authenticates, limits the waiting time, retries where that is safe, reads the answer.
import { Pool } from "undici";
import { pauseUnlessAborted } from "../../concurrency/pause.js";
import type { HostConnection } from "../connection.js";
import { DroverError } from "../../errors/errors.js";
import { placeOf, PlatformReason, platformError } from "../platformError.js";
import { boundOf } from "./answerBounds.js";
import { Circuit } from "./circuit.js";
import { Connections } from "./connections.js";
import { isSuccess, parseJson, refusalError } from "./errors.js";
import {
  exchange,
  isBeyondBounds,
  isUnsendable,
  TimeUp,
  TransportFailure,
  type HttpAnswer,
  type HttpRequest,
} from "./exchange.js";
import type { Fault } from "./fault.js";
import type { DriverOptions } from "./options.js";
import { isRecord } from "./parse.js";
import { encodeParameters, type ApiParameters } from "./path.js";
import { mayRepeat, type Attempt } from "./retry.js";
import { FORM, LOGIN_PATH, openSession, type ApiSession } from "./session.js";
import { PeerRefused, trustingConnector } from "./tls.js";
import { believed, isVersion, sentencesFor, VERSION_PATH } from "./unproven.js";

/** One call of the API. */
export interface ApiCall {
  readonly method: HttpRequest["method"];
  /** Without `/api2/json`; segments percent-encoded (`apiPath`). */
  readonly path: string;
  /** Sent in the query of GET and DELETE, in a form otherwise. */
  readonly parameters?: ApiParameters;
  /**
   * May hang for itself, on a storage that is away say: it shares no connections with other calls, and its silence does
   * not make the host dead.
   */
  readonly slow?: boolean;
  /** Somebody waits for the answer, so many milliseconds at most: it is passed on as it is, a fault too. */
  readonly withinMs?: number;
  /** The platform makes an empty guest before it starts the task: one that cannot be started leaves it, and cannot be asked for again. */
  readonly reservesFirst?: boolean;
  /** Secrets inside other parameters, to be blanked out should the platform repeat them. */
  readonly secrets?: readonly string[];
}

/** A successful answer. */
export interface ApiAnswer {
  readonly data: unknown;
  /** How many entries there are in all, where the platform says so. */
  readonly total: unknown;
  /** Who answered to what, for messages: `rack1 to /version`. */
  readonly source: string;
  /** What the question was about, for messages: `node pve2 of host rack2`. */
  readonly place: string;
}

/** What of a call decides how it is sent. */
type SentCall = Pick<ApiCall, "path" | "slow">;

/** @throws DroverError of kind `platform` */
export type Ask = (call: ApiCall) => Promise<ApiAnswer>;

/** Parameters that hold secrets. */
const SECRET_PARAMETERS = ["password", "cipassword"] as const;

/** One host's connections, session and circuit. */
export class ProxmoxClient {
  readonly #connections: Connections;
  readonly #session: ApiSession;
  readonly #circuit: Circuit;
  readonly #options: DriverOptions;
  readonly #name: string;
  readonly #address: string;
  readonly #sentences: ReadonlySet<string>;
  readonly #running = new Set<Promise<unknown>>();
  #isProven: boolean;
  #prompt = 0;
  #closed = false;

  /** @param isProven whether the host was connected before; another one proves itself by its version */
  constructor(connection: HostConnection, isProven: boolean, options: DriverOptions) {
    const { name, hostname, port, tlsFingerprint } = connection;
    this.#isProven = isProven;
    this.#sentences = sentencesFor(connection);
    const host = hostname.includes(":") && !hostname.startsWith("[") ? `[${hostname}]` : hostname;
    const trust = { fingerprint: tlsFingerprint, authorities: options.trustedAuthorities };
    this.#name = name;
    this.#address = `${host}:${port}`;
    this.#options = options;
    const open = (more: Pool.Options): Pool =>
      new Pool(`https://${this.#address}`, {
        connect: trustingConnector(trust, options.isOpenAddress, options.connectMs),
        ...more,
      });
    this.#connections = new Connections(open, options);
    this.#session = openSession(connection, (wanted) => this.#login(wanted), options);
    this.#circuit = new Circuit(options, options.clock, () => options.stopwatch.milliseconds());
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Lets running calls end, then ends the connections, also those that are still being tried. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#running);
    await this.#connections.destroy();
  }

  /** @throws DroverError of kind `platform`, with a reason as the port says; `unavailable` when too many people wait for the host */
  async ask(call: ApiCall): Promise<ApiAnswer> {
    const running = call.withinMs === undefined ? this.#ask(call) : this.#askPromptly(call);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Jobs are few; people may be any number, and are not to keep jobs from the host. */
  async #askPromptly(call: ApiCall): Promise<ApiAnswer> {
    if (this.#prompt >= this.#options.promptCalls) {
      const message = `Too many requests wait for host ${this.#name}; try again later`;
      throw new DroverError("unavailable", message, { reason: "HOST_BUSY" });
    }
    this.#prompt++;
    try {
      return await this.#ask(call);
    } finally {
      this.#prompt--;
    }
  }

  async #ask(call: ApiCall): Promise<ApiAnswer> {
    const admission = this.#circuit.admit();
    if (admission.kind === "dead") {
      const since = admission.since.toISOString();
      throw this.#unreachable(call, `is unreachable since ${since}`, admission.fault);
    }
    const attempt = await this.#attempts(call, admission.kind === "probe" ? [] : this.#options.repeatAfterMs);
    return attempt instanceof TransportFailure ? this.#fail(call, attempt) : this.#read(call, attempt);
  }

  async #attempts(call: ApiCall, pauses: readonly number[]): Promise<Attempt> {
    const startedAt = this.#options.stopwatch.milliseconds();
    const deadline = startedAt + Math.min(this.#options.callMs, call.withinMs ?? Number.POSITIVE_INFINITY);
    let attempt = await this.#authorized(call, deadline);
    for (const pauseMs of pauses) {
      if (!mayRepeat(call, attempt) || this.#options.stopwatch.milliseconds() + pauseMs >= deadline) break;
      await pauseUnlessAborted({ stopwatch: this.#options.stopwatch }, pauseMs);
      attempt = await this.#authorized(call, deadline);
    }
    this.#learn(call, attempt, startedAt);
    return attempt;
  }

  #learn(call: ApiCall, attempt: Attempt, startedAt: number): void {
    if (!(attempt instanceof TransportFailure)) return this.#circuit.answered();
    if (speaksOfTheHost(call, attempt) && this.#hasWaited(call, attempt))
      this.#circuit.failed(startedAt, attempt.fault);
  }

  /** Whoever gave up before a connection need be made has learnt nothing of the host. */
  #hasWaited({ withinMs = Number.POSITIVE_INFINITY }: ApiCall, { cause }: TransportFailure): boolean {
    return withinMs >= this.#options.connectMs || !(cause instanceof TimeUp);
  }

  /** Sends the call; once more with a new ticket when the platform does not know the old one any longer. */
  async #authorized(call: ApiCall, deadline: number): Promise<Attempt> {
    try {
      const first = await this.#session.headers(call.method);
      const answer = await this.#send(request(call, first), deadline, call);
      if (answer.status !== 401 || !this.#session.refused(first)) return answer;
      return await this.#send(request(call, await this.#session.headers(call.method)), deadline, call);
    } catch (error) {
      if (error instanceof TransportFailure) return error;
      throw error;
    }
  }

  /** The time of a call may be over before it is sent: the login before it has its own. @throws TransportFailure */
  async #send(wanted: HttpRequest, deadline: number, { path, slow = false }: SentCall): Promise<HttpAnswer> {
    const answerMs = deadline - this.#options.stopwatch.milliseconds();
    if (answerMs <= 0) throw new TransportFailure(new TimeUp("the time was up before the request was sent"), false);
    const { answerPauseMs: pauseMs, longAnswerMs: longestMs } = this.#options;
    const answer = await exchange(this.#connections.for({ method: wanted.method, slow }), wanted, {
      answerMs,
      pauseMs,
      longestMs,
      bound: boundOf(path),
      stopwatch: this.#options.stopwatch,
    });
    return this.#isProven ? answer : believed(answer, this.#sentences);
  }

  /** A login that fails leaves the call itself unsent. */
  async #login(wanted: HttpRequest): Promise<HttpAnswer> {
    try {
      const deadline = this.#options.stopwatch.milliseconds() + this.#options.callMs;
      const answer = await this.#send(wanted, deadline, { path: LOGIN_PATH });
      this.#circuit.answered();
      return answer;
    } catch (error) {
      if (error instanceof TransportFailure) throw new TransportFailure(error.cause, false);
      throw error;
    }
  }

  #read(call: ApiCall, answer: HttpAnswer): ApiAnswer {
    const changes = call.method !== "GET";
    const place = this.#placeOf(call);
    if (!isSuccess(answer)) throw this.#refusal(call, answer);
    const source = this.#sourceOf(call);
    const body = answer.body.trim() === "" && changes ? {} : parseJson(answer.body);
    this.#isProven ||= call.path === VERSION_PATH && isRecord(body) && isVersion(body["data"]);
    // A change that has no result may be answered without any.
    if (this.#isProven && isRecord(body) && ("data" in body || changes))
      return { data: body["data"], total: body["total"], source, place };
    throw changes
      ? platformError(
          PlatformReason.UNCERTAIN,
          `The answer of ${place} makes no sense: the change may have been made`,
          { place },
        )
      : platformError(PlatformReason.UNINTELLIGIBLE, `The answer of ${source} makes no sense`, { place });
  }

  #refusal(call: ApiCall, answer: HttpAnswer): Error {
    const { method, parameters = {}, secrets: inside = [] } = call;
    const secrets = SECRET_PARAMETERS.map((name) => String(parameters[name] ?? ""));
    return refusalError(answer, {
      changes: method !== "GET",
      place: this.#placeOf(call),
      secrets: [...this.#session.secrets(), ...secrets, ...inside],
    });
  }

  #fail(call: ApiCall, failure: TransportFailure): never {
    const place = this.#placeOf(call);
    const isChange = call.method !== "GET" && failure.mayHaveArrived;
    const unread = `The answer of ${this.#sourceOf(call)} is not read: ${failure.message}`;
    if (isChange) {
      const fault = isBeyondBounds(failure) ? unread : `${place} did not answer (${failure.message})`;
      const message = `${fault}: the change may have been carried out`;
      throw platformError(PlatformReason.UNCERTAIN, message, { place, detail: this.#address, cause: failure });
    }
    if (isBeyondBounds(failure)) throw platformError(PlatformReason.UNINTELLIGIBLE, unread, { place, cause: failure });
    throw this.#unreachable(call, "is unreachable", failure.fault, failure);
  }

  /** A host that gives no answer says nothing of the node that it was asked about. */
  #unreachable(call: ApiCall, how: string, { words, detail = this.#address }: Fault, cause?: unknown): DroverError {
    const node = nodeIn(call);
    const message = `Host ${this.#name} ${how}${node === null ? "" : `, and node ${node} with it`}: ${words}`;
    return platformError(PlatformReason.UNREACHABLE, message, { place: this.#placeOf(call), detail, cause });
  }

  #sourceOf({ path }: ApiCall): string {
    return `${this.#name} to ${path}`;
  }

  #placeOf(call: ApiCall): string {
    return placeOf(this.#name, nodeIn(call));
  }
}

/** The node that a call is about, whichever node answers it. */
function nodeIn({ path }: ApiCall): string | null {
  const node = /^\/nodes\/([^/]+)/.exec(path)?.[1];
  return node === undefined ? null : decodeURIComponent(node);
}

/**
 * Whether a failure may mean that the host is dead. A change whose connection broke does not: it was sent only once, to a
 * host that had just let us in.
 */
function speaksOfTheHost({ method, slow = false }: ApiCall, failure: TransportFailure): boolean {
  const { cause, mayHaveArrived } = failure;
  if (slow || cause instanceof PeerRefused || isBeyondBounds(failure) || isUnsendable(failure)) return false;
  return method === "GET" || !mayHaveArrived || cause instanceof TimeUp;
}

function request({ method, path, parameters = {} }: ApiCall, headers: Readonly<Record<string, string>>): HttpRequest {
  const encoded = encodeParameters(parameters);
  const url = `/api2/json${path}`;
  if (method === "GET" || method === "DELETE") {
    return { method, path: encoded === "" ? url : `${url}?${encoded}`, headers, body: null };
  }
  return { method, path: url, headers: { ...headers, "content-type": FORM }, body: encoded };
}
