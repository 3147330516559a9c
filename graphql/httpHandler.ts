// Admits GraphQL requests over HTTP: who sends them, their body, a slot, their row in the log, and the answers to refused ones.
import type { ErrorRequestHandler, Request, RequestHandler, Response } from "express";
import type { Admission } from "../src/access/admission/admission.js";
import { BodyRefused } from "../src/access/admission/body.js";
import type { IncomingRequest } from "../src/access/admission/incomingRequest.js";
import { hasSessionCookie } from "../src/access/accessToken.js";
import { rateHeaders } from "../src/access/rateWindows.js";
import { anonymous, type Viewer } from "../src/access/viewer.js";
import type { Services } from "../src/context/context.js";
import { refusalFor } from "../src/db/databaseTrouble.js";
import { DroverError, httpStatusOf } from "../src/errors/errors.js";
import { labelRoute } from "../src/http/countRequests.js";
import { requestIdOf } from "../src/http/requestId.js";
import type { HttpContext } from "./apollo.js";
import { ACCEPTED } from "./arrival.js";
import { operationOf } from "./body.js";
import { presentRefusal } from "./errorPresentation.js";
import { AnswerCookie, wantsCookie } from "./sessionCookie.js";

/** Characters of how a program names itself. */
const LONGEST_USER_AGENT = 500;

interface HttpHandlerParts {
  readonly services: Services;
  readonly admission: Admission;
  /** For the request log and the figures. */
  readonly path: string;
}

interface AdmittedRequest {
  readonly incoming: IncomingRequest;
  readonly viewer: Viewer;
  readonly sessionCookie: AnswerCookie;
}

export class HttpHandler {
  readonly #parts: HttpHandlerParts;
  readonly #admitted = new WeakMap<Request, AdmittedRequest>();

  constructor(parts: HttpHandlerParts) {
    this.#parts = parts;
  }

  /** Passes on requests that are admitted and complete, with `body` as their operation, in a slot until they are answered. */
  readonly admit: RequestHandler = async (request, response, next) => {
    const { admission, path } = this.#parts;
    const incoming = admission.receive(request, response, path);
    paceRefusals(response, incoming);
    response.once("close", () => incoming.logSoon(response.statusCode));
    requestIdOf(request, response);
    labelRoute(response, path);
    incoming.refuseUnderPressure();
    refuseForeign(admission, request);
    const viewer = await authenticate(incoming);
    const body: unknown = operationOf(await incoming.readBody(), request.headers["content-type"]);
    await incoming.holdSlot();
    const isSecure = admission.ownOrigin.isSecure(request);
    const sessionCookie = new AnswerCookie({ request, response, isSecure });
    this.#admitted.set(request, { incoming, viewer, sessionCookie });
    request.body = body;
    incoming.charge(next);
  };

  /** What resolvers are given. @throws Error when the request was not admitted */
  async contextOf(request: Request): Promise<HttpContext> {
    const admitted = this.#admitted.get(request);
    if (admitted === undefined) throw new Error("A GraphQL request was not admitted");
    const { viewer, incoming, sessionCookie } = admitted;
    const { sourceIp } = incoming.record;
    const userAgent = request.headers["user-agent"]?.slice(0, LONGEST_USER_AGENT);
    const logNow = (status: number): Promise<void> => incoming.logNow(status);
    const paceRefusal = (status: number): Promise<void> => incoming.paceRefusal(status);
    const caller = { viewer, sourceIp, userAgent, sessionCookie, requestId: incoming.id };
    return { ...this.#parts.services, ...caller, logNow, paceRefusal };
  }

  /** Answers what failed before GraphQL had its turn: a refused caller or body, a database that is away. */
  readonly answerFault: ErrorRequestHandler = (error: unknown, request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    if (error instanceof BodyRefused) return refuseBody(response, error);
    const refusal = refusalFor(error);
    if (refusal !== null) return refuse(response, refusal);
    const requestId = requestIdOf(request, response);
    this.#parts.services.log.error({ err: error, requestId }, "a GraphQL request failed");
    const extensions = { code: "INTERNAL_SERVER_ERROR", requestId };
    response.status(500).json({ errors: [{ message: `Internal error (request ${requestId})`, extensions }] });
  };
}

/** Whoever refuses a request (this handler, the check of documents, Apollo) answers it through `send`. */
function paceRefusals(response: Response, incoming: IncomingRequest): void {
  const send = response.send.bind(response);
  response.send = (body: unknown) => {
    if (response.statusCode < 400) return send(body);
    void incoming.paceRefusal(response.statusCode).then(() => send(body));
    return response;
  };
}

/** What a browser sends by itself, or would keep, is for the service's own pages alone. @throws DroverError `forbidden` (`WRONG_ORIGIN`) */
function refuseForeign({ ownOrigin }: Admission, request: Request): void {
  const { authorization, cookie } = request.headers;
  const usesCookie = authorization === undefined && hasSessionCookie(cookie);
  const refusal = usesCookie || wantsCookie(request) ? ownOrigin.refusalOf(request) : null;
  if (refusal !== null) throw refusal;
}

/** Without a token a caller is anonymous, and may sign in and read the schema; with a bad one, the caller is refused. */
async function authenticate(incoming: IncomingRequest): Promise<Viewer> {
  const { request, response } = incoming;
  const { authorization, cookie } = request.headers;
  try {
    if (authorization !== undefined) return await incoming.authenticateHeaders(ACCEPTED);
    return hasSessionCookie(cookie) ? await personOf(incoming) : anonymous;
  } finally {
    const headers = { "Cache-Control": "no-store", ...rateHeaders(incoming.rate) };
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  }
}

/** A browser goes on sending a cookie whose session has ended, also to sign in again. */
async function personOf(incoming: IncomingRequest): Promise<Viewer> {
  try {
    return await incoming.authenticateHeaders(ACCEPTED);
  } catch (error) {
    if (error instanceof DroverError && error.kind === "unauthenticated") return anonymous;
    throw error;
  }
}

function refuse(response: Response, refusal: DroverError): void {
  if (refusal.kind === "unauthenticated") response.set("WWW-Authenticate", "Bearer");
  if (refusal.retryAfterSeconds !== undefined) response.set("Retry-After", String(refusal.retryAfterSeconds));
  response.status(httpStatusOf[refusal.kind]).json({ errors: [presentRefusal(refusal)] });
}

/** GraphQL answers 400 to what is wrong with a request itself, unless HTTP has a better word for it. */
function refuseBody(response: Response, { status, message }: BodyRefused): void {
  const extensions = { code: "BAD_REQUEST" };
  response.set("Connection", "close");
  response.status(status === httpStatusOf.validation ? 400 : status).json({ errors: [{ message, extensions }] });
}
