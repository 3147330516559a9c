// Carries one HTTP request to a host and its whole answer back, within a time limit.
import { errors, type Dispatcher } from "undici";
import type { Stopwatch } from "../../concurrency/stopwatch.js";
import { grantedBody, refusedBody, type AnswerBody } from "./answerBody.js";
import type { AnswerBound } from "./answerBounds.js";
import { BeyondBounds } from "./answerGauge.js";
import { codingOf } from "./contentCoding.js";
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
  /** How much the answer may hold if the request succeeds. */
  readonly bound: AnswerBound;
  readonly stopwatch: Stopwatch;
}

/** The time limit was reached; any other failure of a request that may have arrived is a broken connection. */
export class TimeUp extends KnownFault {
  override readonly name = "TimeUp";
}

/** The answer holds more than it may. */
export const isBeyondBounds = ({ cause }: TransportFailure): boolean => cause instanceof BeyondBounds;

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

/** Receives one answer. undici calls it; the time limit also covers the wait for a free connection. */
class Receiver implements Dispatcher.DispatchHandler {
  readonly #startedAt: number;
  readonly #settlement: Settlement;
  readonly #limits: Limits;
  #controller: Dispatcher.DispatchController | null = null;
  #stopTimer: () => void;
  #lastChunkAt = Number.NEGATIVE_INFINITY;
  #status = 0;
  #reasonPhrase = "";
  #location: string | null = null;
  /** Null: it has not begun. */
  #body: AnswerBody | null = null;
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
    const coding = codingOf(headers["content-encoding"]);
    this.#body = status >= 200 && status < 300 ? grantedBody(this.#limits.bound, coding) : refusedBody(coding);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#lastChunkAt = this.#limits.stopwatch.milliseconds();
    try {
      if (this.#body?.add(chunk) !== false) return;
      this.#succeed("");
      controller.abort(new Error("no more of it is wanted"));
    } catch (error) {
      if (!(error instanceof BeyondBounds)) throw error;
      this.fail(error);
      controller.abort(error);
    }
  }

  onResponseEnd(): void {
    const text = this.#body?.text() ?? Promise.resolve("");
    text.then(
      (body) => this.#succeed(body),
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
