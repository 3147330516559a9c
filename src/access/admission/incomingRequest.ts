// A request over HTTP on its way in: who sends it, its body, the slot in which it is worked on, and its row in the log.
import type { IncomingMessage, ServerResponse } from "node:http";
import { requestIdOf } from "../../http/requestId.js";
import type { Accepted, Access } from "../authenticate.js";
import type { RateState } from "../rateWindows.js";
import type { RequestLog } from "../requestLog.js";
import type { Viewer } from "../viewer.js";
import { readBody } from "./body.js";
import type { RequestRecord } from "./requestRecord.js";
import { refusalUnder, type Pressure, type Slots } from "./slots.js";

/** What all requests share. */
interface Desk {
  readonly access: Access;
  readonly requestLog: RequestLog;
  readonly pressure: Pressure;
  readonly slots: Slots;
}

interface RequestParts {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly record: RequestRecord;
}

export class IncomingRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly record: RequestRecord;
  /** How the rate limit of its token stands; null: none, or not known yet. */
  rate: RateState | null = null;
  readonly #desk: Desk;
  #isLogged = false;

  constructor(desk: Desk, { request, response, record }: RequestParts) {
    this.#desk = desk;
    this.request = request;
    this.response = response;
    this.record = record;
  }

  /** Its id, which is also set as the answer's `X-Request-Id`. */
  get id(): string {
    return requestIdOf(this.request, this.response);
  }

  /** @throws DroverError the refusal while the process is overloaded */
  refuseUnderPressure(): void {
    const refusal = refusalUnder(this.#desk.pressure);
    if (refusal !== null) throw refusal;
  }

  /** @returns who sends it. @throws DroverError `unauthenticated`, `forbidden`, `rateLimited`; Error of the driver */
  async authenticate(accepted: readonly Accepted[]): Promise<Viewer> {
    const { authorization } = this.request.headers;
    const { sourceIp } = this.record;
    const admission = await this.#desk.access.authenticate({ authorization, sourceIp }, accepted);
    this.record.token = admission.token;
    this.rate = admission.rate;
    if (!admission.admitted) throw admission.refusal;
    return admission.viewer;
  }

  /** @returns the node whose agent sends it; null: it has no valid agent token */
  agentNodeId(): Promise<number | null> {
    return this.#desk.access.agentNodeId(this.request.headers.authorization);
  }

  /** @returns its whole body. @throws BodyRefused */
  readBody(): Promise<Buffer> {
    return readBody(this.request, this.response);
  }

  /** Works on the request, which must be complete, in a slot. @throws DroverError when none is free, and what `work` throws */
  async inSlot<Result>(work: () => Promise<Result>): Promise<Result> {
    const giveBack = this.#desk.slots.take();
    try {
      return await work();
    } finally {
      giveBack();
    }
  }

  /** Takes a slot for the complete request until it is answered, or its sender has left. @throws DroverError when none is free */
  holdSlot(): void {
    const giveBack = this.#desk.slots.take();
    if (this.response.destroyed) giveBack();
    else this.response.once("close", giveBack);
  }

  /** Logs it soon, unless it is logged already. */
  logSoon(status: number): void {
    if (this.#isLogged) return;
    this.#isLogged = true;
    this.#desk.requestLog.record(this.record.row(status));
  }

  /** Logs it now: resolves when its row is written, unless the service was unavailable and did nothing. */
  async logNow(status: number): Promise<void> {
    this.#isLogged = true;
    await this.#desk.requestLog.recordAnswer(this.record.row(status));
  }
}
