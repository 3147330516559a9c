// Admits GraphQL requests over HTTP: authentication, rate limit, request log, and the answers to refused requests.
import type { ErrorRequestHandler, Request, RequestHandler, Response } from "express";
import type { Access, KnownToken } from "../src/access/authenticate.js";
import { databaseRefusal } from "../src/db/databaseTrouble.js";
import { AdmissionLimit, type Pressure } from "../src/access/admission/slots.js";
import { rateHeaders } from "../src/access/rateWindows.js";
import type { LoggedRequest, RequestLog } from "../src/access/requestLog.js";
import type { TrustedProxies } from "../src/access/sourceIp.js";
import type { Viewer } from "../src/access/viewer.js";
import type { Services } from "../src/context/context.js";
import { DroverError, httpStatusOf } from "../src/errors/errors.js";
import { requestIdOf } from "../src/http/requestId.js";
import { labelRoute } from "../src/http/countRequests.js";
import type { HttpContext } from "./apollo.js";
import { admit, arrivalOf } from "./arrival.js";
import { presentRefusal } from "./errorPresentation.js";

interface HttpDoorParts {
  readonly services: Services;
  readonly access: Access;
  readonly requestLog: RequestLog;
  readonly proxies: TrustedProxies;
  /** For the request log and the figures. */
  readonly path: string;
  readonly pressure?: Pressure | undefined;
}

/** What is known of a request that is being answered. */
interface Visit {
  readonly at: Date;
  readonly begin: number;
  readonly method: string;
  readonly sourceIp: string;
  isLogged: boolean;
  viewer: Viewer | null;
  token: KnownToken | null;
}

export class HttpDoor {
  readonly #parts: HttpDoorParts;
  readonly #visits = new WeakMap<Request, Visit>();
  readonly #admissions: AdmissionLimit;

  constructor(parts: HttpDoorParts) {
    this.#parts = parts;
    this.#admissions = new AdmissionLimit(parts.services.config.limits.requestsAtOnce, parts.pressure);
  }

  /** Passes on who may come in; answers everybody else. */
  readonly letIn: RequestHandler = async (request, response, next) => {
    const arrived = arrivalOf(request, this.#parts.proxies);
    const visit = this.#visitFrom(arrived.sourceIp, request.method);
    this.#visits.set(request, visit);
    this.#logWhenAnswered(visit, response);
    requestIdOf(request, response);
    labelRoute(response, this.#parts.path);
    const leave = this.#admissions.enter();
    if (leave instanceof DroverError) return refuse(response, leave);
    response.once("close", leave);
    const admission = await admit(this.#parts.access, arrived);
    visit.token = admission.token;
    response.set({ "Cache-Control": "no-store", ...rateHeaders(admission.rate) });
    if (admission.admitted) {
      visit.viewer = admission.viewer;
      next();
    } else refuse(response, admission.refusal);
  };

  /** What resolvers are given. @throws Error when the request was not let in */
  contextOf(request: Request, response: Response): Promise<HttpContext> {
    const visit = this.#visits.get(request);
    if (visit?.viewer === null || visit?.viewer === undefined) throw new Error("A GraphQL request came past the door");
    const { viewer, sourceIp } = visit;
    const logNow = async (status: number): Promise<void> => {
      visit.isLogged = true;
      await this.#parts.requestLog.recordAnswer(this.#line(visit, status));
    };
    const requestId = requestIdOf(request, response);
    const { services } = this.#parts;
    return Promise.resolve({ ...services, viewer, sourceIp, requestId, logNow });
  }

  /** Answers what failed before GraphQL had its turn: a body that cannot be read, a database that is away. */
  readonly answerFault: ErrorRequestHandler = (error: unknown, request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const status = callerStatus(error);
    const trouble = databaseRefusal(error);
    if (status !== null && error instanceof Error) {
      response.status(status).json({ errors: [{ message: error.message, extensions: { code: "BAD_REQUEST" } }] });
    } else if (trouble !== null) refuse(response, trouble);
    else {
      const requestId = requestIdOf(request, response);
      this.#parts.services.log.error({ err: error, requestId }, "a GraphQL request failed");
      const extensions = { code: "INTERNAL_SERVER_ERROR", requestId };
      response.status(500).json({ errors: [{ message: `Internal error (request ${requestId})`, extensions }] });
    }
  };

  #visitFrom(sourceIp: string, method: string): Visit {
    const at = this.#parts.services.clock.now();
    return { at, begin: performance.now(), method, sourceIp, isLogged: false, viewer: null, token: null };
  }

  #logWhenAnswered(visit: Visit, response: Response): void {
    response.once("close", () => {
      if (!visit.isLogged) this.#parts.requestLog.record(this.#line(visit, response.statusCode));
    });
  }

  #line({ at, begin, method, sourceIp, token }: Visit, status: number): LoggedRequest {
    return {
      at,
      tokenId: token?.id ?? null,
      tokenName: token?.name ?? null,
      sourceIp,
      method,
      path: this.#parts.path,
      status,
      durationMs: performance.now() - begin,
    };
  }
}

function refuse(response: Response, refusal: DroverError): void {
  if (refusal.kind === "unauthenticated") response.set("WWW-Authenticate", "Bearer");
  if (refusal.retryAfterSeconds !== undefined) response.set("Retry-After", String(refusal.retryAfterSeconds));
  response.status(httpStatusOf[refusal.kind]).json({ errors: [presentRefusal(refusal)] });
}

/** The status of a body that cannot be taken (too large, broken, in an unknown encoding); null: no such fault. */
function callerStatus(error: unknown): number | null {
  if (!(error instanceof Error) || !("status" in error) || typeof error.status !== "number") return null;
  return error.status >= 400 && error.status < 500 ? error.status : null;
}
