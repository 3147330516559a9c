// Takes each request of REST v1 through the checks in their order: token, address, rate limit, scope, route, endpoint.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Access, KnownToken } from "../src/access/authenticate.js";
import { databaseRefusal } from "../src/db/databaseTrouble.js";
import type { RateState } from "../src/access/rateWindows.js";
import type { Viewer } from "../src/access/viewer.js";
import type { Services } from "../src/context/context.js";
import { isInScope } from "../src/core/access/scope.js";
import { DroverError } from "../src/errors/errors.js";
import { failure, refusal, type Answer } from "./answer.js";
import { BodyRefused } from "./body.js";
import { runEndpoint, type Endpoint } from "./endpoint.js";
import { segmentsOf, type RouteTable } from "./match.js";

/** A request with everything that is known of it before it is let in. */
export interface Arrived {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly sourceIp: string;
  /** Below `/api/v1`, without the query string. */
  readonly path: string;
  readonly queryString: string;
}

/** What is learnt of a request on its way, for its headers, its line in the log, and the figures. */
interface Learnt {
  token: KnownToken | null;
  rate: RateState | null;
  /** The row's path; null when there is none. */
  route: string | null;
}

export interface Handled extends Readonly<Learnt> {
  readonly answer: Answer;
}

interface DoorParts {
  readonly services: Services;
  readonly access: Access;
  readonly table: RouteTable<Endpoint>;
}

/** Answers one request; whatever happens, there is an answer. */
export async function handle(parts: DoorParts, arrived: Arrived): Promise<Handled> {
  const learnt: Learnt = { token: null, rate: null, route: null };
  try {
    const viewer = await admit(parts.access, arrived, learnt);
    const answer = await answerAdmitted(parts, { arrived, viewer, learnt });
    return { ...learnt, answer };
  } catch (error) {
    return { ...learnt, answer: answerTo(error, arrived, parts.services) };
  }
}

/** People's sessions open GraphQL, not this door. */
async function admit(access: Access, { request, sourceIp }: Arrived, learnt: Learnt): Promise<Viewer> {
  const admission = await access.authenticate({ authorization: request.headers.authorization, sourceIp }, ["apiToken"]);
  learnt.token = admission.token;
  learnt.rate = admission.rate;
  if (!admission.admitted) throw admission.refusal;
  return admission.viewer;
}

interface AdmittedRequest {
  readonly arrived: Arrived;
  readonly viewer: Viewer;
  readonly learnt: Learnt;
}

async function answerAdmitted({ services, table }: DoorParts, admitted: AdmittedRequest): Promise<Answer> {
  const { arrived, viewer, learnt } = admitted;
  const segments = segmentsOf(arrived.path);
  refuseOutOfScope(viewer, segments);
  const match = table.find(arrived.request.method ?? "", segments);
  if (match.kind === "unknown") return unknownRoute();
  if (match.kind === "wrongMethod") {
    return failure(405, "This path does not have that method", { Allow: match.allowed.join(", ") });
  }
  learnt.route = match.row.route.path;
  const { requestId, sourceIp, queryString, request, response } = arrived;
  const context = { ...services, viewer, requestId, sourceIp };
  const answer = await runEndpoint(match.row, { context, pathValues: match.values, queryString, request, response });
  return answer ?? failure(404, "There is no such record");
}

/** Whether the host exists or ever could plays no part, nor does what follows in the path. */
function refuseOutOfScope(viewer: Viewer, [first, second = ""]: readonly string[]): void {
  if (first !== "hosts" || !POSITIVE.test(second) || isInScope(viewer.hostIds, Number(second))) return;
  throw new DroverError("forbidden", `Host ${second} is outside the token's scope`);
}

const POSITIVE = /^0*[1-9]\d*$/;

const unknownRoute = (): Answer => failure(404, "There is no such route");

/** Refusals are answered as they are; a fault is logged, and answered without a word of what it was. */
function answerTo(error: unknown, { requestId }: Arrived, { log }: Services): Answer {
  if (error instanceof DroverError) return refusal(error);
  if (error instanceof BodyRefused) return failure(error.status, error.message, { Connection: "close" });
  const trouble = databaseRefusal(error);
  if (trouble !== null) return refusal(trouble);
  log.error({ err: error, requestId }, "a request failed");
  return failure(500, `Internal error (request ${requestId})`);
}
