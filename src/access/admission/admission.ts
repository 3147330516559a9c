// The way of every request into the service: where it comes from, who sends it, its body, a slot to be worked on, its row in the log.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../concurrency/clock.js";
import type { Limits } from "../../config/limits.js";
import type { Access } from "../authenticate.js";
import type { RequestLog } from "../requestLog.js";
import { originOf, sourceIp, trustedProxies, type TrustedProxies } from "../sourceIp.js";
import { IncomingRequest } from "./incomingRequest.js";
import { RequestRecord } from "./requestRecord.js";
import { NO_PRESSURE, Slots, type Pressure } from "./slots.js";

interface AdmissionParts {
  readonly clock: Clock;
  readonly limits: Pick<Limits, "requestsAtOnce">;
  /** Addresses and CIDRs of proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  readonly access: Access;
  readonly requestLog: RequestLog;
  /** While it is too high, requests are refused. */
  readonly pressure?: Pressure;
}

/**
 * One for each process; every entrance uses it and keeps only the form of its answers: REST, GraphQL over HTTP, WebSockets, heartbeats.
 */
export class Admission {
  readonly access: Access;
  readonly requestLog: RequestLog;
  readonly pressure: Pressure;
  readonly slots: Slots;
  readonly #clock: Clock;
  readonly #proxies: TrustedProxies;

  constructor({ clock, limits, trustedProxies: proxies, access, requestLog, pressure = NO_PRESSURE }: AdmissionParts) {
    this.access = access;
    this.requestLog = requestLog;
    this.pressure = pressure;
    this.slots = new Slots(limits.requestsAtOnce);
    this.#clock = clock;
    this.#proxies = trustedProxies(proxies);
  }

  /** Begins with a request over HTTP. @param path for its row in the log */
  receive(request: IncomingMessage, response: ServerResponse, path: string): IncomingRequest {
    return new IncomingRequest(this, { request, response, record: this.recordOf(request, path) });
  }

  /** Begins the record of a request. @param method where it is not that of HTTP */
  recordOf(request: IncomingMessage, path: string, method: string = request.method ?? ""): RequestRecord {
    return new RequestRecord({ at: this.#clock.now(), sourceIp: this.sourceOf(request), method, path });
  }

  /** The address that a request comes from. */
  sourceOf(request: IncomingMessage): string {
    return sourceIp(originOf(request), this.#proxies);
  }
}
