// The way of every request into the service: where it comes from, who sends it, its body, a slot to be worked on, its row in the log.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../concurrency/clock.js";
import { systemStopwatch, type Stopwatch } from "../../concurrency/stopwatch.js";
import type { Limits } from "../../config/limits.js";
import type { Logger } from "../../observability/log.js";
import type { Access } from "../authenticate.js";
import type { RequestLog } from "../requestLog.js";
import { OwnOrigin } from "../ownOrigin.js";
import { originOf, sourceIp, trustedProxies, type TrustedProxies } from "../sourceIp.js";
import { ByteBudget } from "./byteBudget.js";
import { Call } from "./call.js";
import { IncomingRequest, type HttpDesk } from "./incomingRequest.js";
import { LargeBodies } from "./largeBodies.js";
import { NO_PRESSURE, type Pressure } from "./load.js";
import { RefusalPace } from "./refusalPace.js";
import { RequestRecord } from "./requestRecord.js";
import { RequestsPresent } from "./requestsPresent.js";
import { SampledLog } from "./sampledLog.js";
import { Slots } from "./slots.js";

interface AdmissionParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: Pick<Limits, "requestsAtOnce">;
  /** Addresses and CIDRs of proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed. */
  readonly trustedProxies: readonly string[];
  /** Where people reach the service; undefined: where their requests say. */
  readonly url?: string | undefined;
  readonly access: Access;
  readonly requestLog: RequestLog;
  /** While it is too high, requests are refused. */
  readonly pressure?: Pressure;
  /** Counts them for whoever measures the pressure. */
  readonly present?: RequestsPresent;
  /** What the pauses of refusals are timed by. Default: the machine's time. */
  readonly stopwatch?: Stopwatch;
}

/**
 * One for each process; every entrance uses it and keeps only the form of its answers: REST, GraphQL over HTTP, WebSockets, heartbeats.
 */
export class Admission implements HttpDesk {
  readonly access: Access;
  readonly requestLog: RequestLog;
  readonly pressure: Pressure;
  readonly present: RequestsPresent;
  readonly slots: Slots;
  readonly bytes = new ByteBudget();
  readonly largeBodies = new LargeBodies();
  readonly pace = new RefusalPace();
  readonly stopwatch: Stopwatch;
  readonly log: SampledLog;
  readonly ownOrigin: OwnOrigin;
  readonly #clock: Clock;
  readonly #proxies: TrustedProxies;

  constructor(parts: AdmissionParts) {
    const { clock, limits, access, requestLog, pressure = NO_PRESSURE, present, stopwatch = systemStopwatch } = parts;
    this.access = access;
    this.requestLog = requestLog;
    this.pressure = pressure;
    this.present = present ?? new RequestsPresent();
    this.stopwatch = stopwatch;
    this.slots = new Slots(limits.requestsAtOnce);
    this.log = new SampledLog({ requestLog, clock, log: parts.log });
    this.#clock = clock;
    this.#proxies = trustedProxies(parts.trustedProxies);
    this.ownOrigin = new OwnOrigin({ url: parts.url, proxies: this.#proxies });
  }

  /** Begins with a request over HTTP. @param path for its row in the log */
  receive(request: IncomingMessage, response: ServerResponse, path: string): IncomingRequest {
    const { method = "" } = request;
    const record = new RequestRecord({ at: this.#clock.now(), sourceIp: this.sourceOf(request), method, path });
    return new IncomingRequest(this, { request, response, record });
  }

  /** Begins with what is no request of HTTP: a WebSocket connection, or an operation on one. */
  call(from: Pick<RequestRecord, "sourceIp" | "method" | "path">): Call {
    return new Call(this, new RequestRecord({ at: this.#clock.now(), ...from }));
  }

  /** The address that a request comes from. */
  sourceOf(request: IncomingMessage): string {
    return sourceIp(originOf(request), this.#proxies);
  }
}
