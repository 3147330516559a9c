// A request over HTTP on its way in: what every call has, its body, and its id.
import type { IncomingMessage, ServerResponse } from "node:http";
import { pauseBy } from "../../concurrency/pause.js";
import type { Stopwatch } from "../../concurrency/stopwatch.js";
import { requestIdOf } from "../../http/requestId.js";
import { settleStatus } from "../../http/sentStatus.js";
import type { Accepted } from "../authenticate.js";
import type { Viewer } from "../viewer.js";
import { readBody } from "./body.js";
import type { ByteBudget } from "./byteBudget.js";
import { Call, type AdmissionDesk } from "./call.js";
import { agentCaller } from "./caller.js";
import type { LargeBodies } from "./largeBodies.js";
import { isForLoad } from "./load.js";
import type { RefusalPace } from "./refusalPace.js";
import type { RequestRecord } from "./requestRecord.js";

/** What all requests over HTTP share. */
export interface HttpDesk extends AdmissionDesk {
  readonly bytes: ByteBudget;
  readonly largeBodies: LargeBodies;
  readonly pace: RefusalPace;
  readonly stopwatch: Stopwatch;
}

interface RequestParts {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly record: RequestRecord;
}

export class IncomingRequest extends Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly #desk: HttpDesk;
  #leaveSlot: () => void = () => undefined;

  constructor(desk: HttpDesk, { request, response, record }: RequestParts) {
    super(desk, record);
    this.#desk = desk;
    this.request = request;
    this.response = response;
  }

  /** Its id, which is also set as the answer's `X-Request-Id`. */
  get id(): string {
    return requestIdOf(this.request, this.response);
  }

  /** Authenticates by the headers of HTTP. @throws as {@link authenticate} */
  authenticateHeaders(accepted: readonly Accepted[]): Promise<Viewer> {
    const { authorization, cookie } = this.request.headers;
    return this.authenticate({ authorization, cookie }, accepted);
  }

  /** @returns the node whose agent sends it; null: it has no valid agent token */
  async agentNodeId(): Promise<number | null> {
    const nodeId = await this.#desk.access.agentNodeId(this.request.headers.authorization);
    if (nodeId !== null) this.caller = agentCaller(nodeId);
    return nodeId;
  }

  /** @returns its whole body, when it may be worked on. @throws BodyRefused; DroverError when the caller, or all callers, have too many bytes in flight */
  async readBody(): Promise<Buffer> {
    const { request, response, caller } = this;
    const { bytes: budget } = this.#desk;
    let held = 0;
    response.once("close", () => budget.release(caller, held));
    const body = await readBody(request, response, {
      hold: (bytes) => {
        // Nothing is released after the end of the request; what still comes then is thrown away.
        if (response.destroyed) return;
        budget.hold(caller, bytes);
        held += bytes;
      },
    });
    await this.#desk.largeBodies.turn(caller, body.length);
    return body;
  }

  /** It is present until it is answered, or its sender has left. A refused one counts too: it shows how many would come. */
  override refuseUnderPressure(): void {
    this.response.once("close", this.enter());
    super.refuseUnderPressure();
  }

  override logSoon(status: number): void {
    super.logSoon(settleStatus(this.response, status));
  }

  override logNow(status: number): Promise<void> {
    return super.logNow(settleStatus(this.response, status));
  }

  /** Waits for a slot until the request is answered, or its sender has left. @throws DroverError when too many wait */
  async holdSlot(): Promise<void> {
    const giveBack = await this.takeSlot();
    this.#leaveSlot = () => {
      this.#leaveSlot = () => undefined;
      giveBack();
    };
    if (this.response.destroyed) this.#leaveSlot();
    else this.response.once("close", () => this.#leaveSlot());
  }

  /**
   * To be called before a refusal is written: waits when its caller is refused again and again. Who is known waits for refusals for load
   * only. No slot is held meanwhile.
   */
  async paceRefusal(status: number): Promise<void> {
    if (this.caller.isKnown && !isForLoad(status)) return;
    const { pace, stopwatch } = this.#desk;
    const pauseMs = pace.pauseMs(this.caller, stopwatch.milliseconds());
    if (pauseMs === 0) return;
    this.#leaveSlot();
    await pauseBy({ stopwatch }, pauseMs);
  }
}
