// Takes each request of REST v1 through the checks in their order: load, token, address, rate limit, scope, route, endpoint.
import { BodyRefused } from "../src/access/admission/body.js";
import type { IncomingRequest } from "../src/access/admission/incomingRequest.js";
import type { Viewer } from "../src/access/viewer.js";
import type { Services } from "../src/context/context.js";
import { isInScope } from "../src/core/access/scope.js";
import { refusalFor } from "../src/db/databaseTrouble.js";
import { DroverError } from "../src/errors/errors.js";
import { labelRoute } from "../src/http/countRequests.js";
import { failure, refusal, type Answer } from "./answer.js";
import { runEndpoint, type Endpoint } from "./endpoint.js";
import { segmentsOf, type RouteTable } from "./match.js";

/** What all paths of REST v1 begin with. */
export const BASE = "/api/v1";

/** A request for REST v1. */
export interface RestRequest {
  readonly incoming: IncomingRequest;
  /** Below {@link BASE}, without the query string. */
  readonly path: string;
  readonly queryString: string;
}

interface HandlerParts {
  readonly services: Services;
  readonly table: RouteTable<Endpoint>;
}

/** Answers one request; whatever happens, there is an answer. */
export async function handle(parts: HandlerParts, request: RestRequest): Promise<Answer> {
  try {
    const viewer = await admit(request.incoming);
    return await answerAdmitted(parts, { ...request, viewer });
  } catch (error) {
    return answerTo(error, request.incoming, parts.services);
  }
}

/** API tokens only: sessions of people are for GraphQL. */
async function admit(incoming: IncomingRequest): Promise<Viewer> {
  incoming.refuseUnderPressure();
  return incoming.authenticateHeaders(["apiToken"]);
}

interface AdmittedRequest extends RestRequest {
  readonly viewer: Viewer;
}

async function answerAdmitted(
  { services, table }: HandlerParts,
  { incoming, viewer, path, queryString }: AdmittedRequest,
): Promise<Answer> {
  const segments = segmentsOf(path);
  refuseOutOfScope(viewer, segments);
  const match = table.find(incoming.request.method ?? "", segments);
  if (match.kind === "unknown") return failure(404, "There is no such route");
  if (match.kind === "wrongMethod") {
    return failure(405, "This path does not have that method", { Allow: match.allowed.join(", ") });
  }
  labelRoute(incoming.response, BASE + match.row.route.path);
  const context = { ...services, viewer, requestId: incoming.id, sourceIp: incoming.record.sourceIp };
  const answer = await runEndpoint(match.row, { context, pathValues: match.values, queryString, incoming });
  return answer ?? failure(404, "There is no such record");
}

/** Whether the host exists or ever could plays no part, nor does what follows in the path. */
function refuseOutOfScope(viewer: Viewer, [first, second = ""]: readonly string[]): void {
  if (first !== "hosts" || !POSITIVE.test(second) || isInScope(viewer.hostIds, Number(second))) return;
  throw new DroverError("forbidden", `Host ${second} is outside the token's scope`);
}

const POSITIVE = /^0*[1-9]\d*$/;

/** Refusals are answered as they are; a fault is logged, and answered without a word of what it was. */
function answerTo(error: unknown, { id }: IncomingRequest, { log }: Services): Answer {
  if (error instanceof BodyRefused) return failure(error.status, error.message, { Connection: "close" });
  const refused = refusalFor(error);
  if (refused !== null) return refusal(refused);
  log.error({ err: error, requestId: id }, "a request failed");
  return failure(500, `Internal error (request ${id})`);
}
