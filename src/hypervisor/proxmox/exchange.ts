// Carries one HTTP request to a host and its whole answer back, within a time limit.
import { StringDecoder } from "node:string_decoder";
import { errors, type Dispatcher } from "undici";
import type { Stopwatch } from "../../concurrency/stopwatch.js";
import { codingOf, plain } from "./contentCoding.js";
import { faultOf, KnownFault, type Fault } from "./fault.js";

/** One request; a body is always a string, since the platform refuses chunked bodies. */
export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** With its query string. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** A complete answer of any status. */
export interface HttpAnswer {
  readonly status: number;
  readonly reasonPhrase: string;
  /** Where a redirection points to; null when the answer names no other place. */
  readonly location: string | null;
  readonly body: string;
}

/** How long to wait, in milliseconds, and for how much. */
interface Limits {
  /** From now until the answer is complete, unless it is still arriving. */
  readonly answerMs: number;
  /** The longest pause inside an answer. */
  readonly pauseMs: number;
  /** From now until the answer is complete, in any case. */
  readonly longestMs: number;
  /** Of the answer, as it was before it was compressed. */
  readonly largestBytes: number;
  readonly stopwatch: Stopwatch;
}

/** The time limit was reached; any other failure of a request that may have arrived is a broken connection. */
export class TimeUp extends KnownFault {
  override readonly name = "TimeUp";
}

/** The answer was larger than the pool lets in. */
export const isTooLarge = ({ cause }: TransportFailure): boolean =>
  cause instanceof errors.ResponseExceededMaxSizeError;

/** It cannot be sent at all: a header has characters that no header may have. */
export const isUnsendable = ({ cause }: TransportFailure): boolean => cause instanceof errors.InvalidArgumentError;

/** No complete answer. */
export class TransportFailure extends Error {
  override readonly name = "TransportFailure";

  readonly fault: Fault;

  /** @param mayHaveArrived whether the host may have received the request and acted on it. */
  constructor(
    cause: unknown,
    readonly mayHaveArrived: boolean,
  ) {
    const fault = faultOf(cause);
    super(fault.words, { cause });
    this.fault = fault;
  }
}

/** @throws TransportFailure when no complete answer came */
export function exchange(pool: Dispatcher, request: HttpRequest, limits: Limits): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const receiver = new Receiver({ resolve, reject }, limits);
    const { method, path, body } = request;
    const headers = { ...request.headers, "accept-encoding": "identity" };
    try {
      pool.dispatch({ method, path, headers, body, headersTimeout: 0, bodyTimeout: limits.pauseMs }, receiver);
    } catch (error) {
      receiver.fail(error);
    }
  });
}

interface Settlement {
  resolve(answer: HttpAnswer): void;
  reject(failure: TransportFailure): void;
}

/** Collects one answer as text: of a large one no copy of the bytes is kept beside it. undici calls it; the time limit also covers the wait for a free connection. */
class Receiver implements Dispatcher.DispatchHandler {
  readonly #startedAt: number;
  readonly #decoder = new StringDecoder("utf8");
  readonly #settlement: Settlement;
  readonly #limits: Limits;
  #controller: Dispatcher.DispatchController | null = null;
  #stopTimer: () => void;
  #lastChunkAt = Number.NEGATIVE_INFINITY;
  #status = 0;
  #reasonPhrase = "";
  #location: string | null = null;
  /** Null: it comes as text. */
  #coding: string | null = null;
  readonly #compressed: Buffer[] = [];
  #body = "";
  #settled = false;

  constructor(settlement: Settlement, limits: Limits) {
    this.#settlement = settlement;
    this.#limits = limits;
    this.#startedAt = limits.stopwatch.milliseconds();
    this.#stopTimer = limits.stopwatch.after(limits.answerMs, () => this.#timeUp());
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#settled) return controller.abort(new Error("no longer wanted"));
    this.#controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
    reasonPhrase = "",
  ): void {
    this.#status = status;
    this.#reasonPhrase = reasonPhrase;
    this.#location = headers["location"]?.toString() ?? null;
    this.#coding = codingOf(headers["content-encoding"]);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#lastChunkAt = this.#limits.stopwatch.milliseconds();
    if (this.#coding === null) this.#body += this.#decoder.write(chunk);
    else this.#compressed.push(chunk);
  }

  onResponseEnd(): void {
    const coding = this.#coding;
    if (coding === null || this.#compressed.length === 0) return this.#succeed(this.#body + this.#decoder.end());
    plain(Buffer.concat(this.#compressed), coding, this.#limits.largestBytes).then(
      (body) => this.#succeed(body.toString("utf8")),
      (error: unknown) => this.fail(error),
    );
  }

  #succeed(body: string): void {
    const answer = { status: this.#status, reasonPhrase: this.#reasonPhrase, location: this.#location, body };
    this.#settle(() => this.#settlement.resolve(answer));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(error);
  }

  /** Before undici starts the request, nothing of it has left this machine. */
  fail(error: unknown): void {
    this.#settle(() => this.#settlement.reject(new TransportFailure(error, this.#controller !== null)));
  }

  #timeUp(): void {
    const { pauseMs, longestMs, stopwatch } = this.#limits;
    const now = stopwatch.milliseconds();
    const stillArriving = now - this.#lastChunkAt < Math.min(pauseMs, 5000) && now - this.#startedAt < longestMs;
    if (stillArriving) {
      this.#stopTimer = stopwatch.after(Math.min(pauseMs, 1000), () => this.#timeUp());
      return;
    }
    const error = new TimeUp(`no answer within ${((now - this.#startedAt) / 1000).toFixed(1)} s`);
    this.fail(error);
    this.#controller?.abort(error);
  }

  #settle(settle: () => void): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#stopTimer();
    settle();
  }
}
