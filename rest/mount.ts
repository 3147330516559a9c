// Puts REST v1 on the HTTP server: every request under /api/v1 is answered, counted and logged here.
import type { Express } from "express";
import type { GraphQLSchema } from "graphql";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Access } from "../src/access/authenticate.js";
import { rateHeaders } from "../src/access/rateWindows.js";
import type { LoggedRequest, RequestLog } from "../src/access/requestLog.js";
import { AdmissionLimit, type Pressure } from "../src/access/admission/slots.js";
import { originOf, sourceIp, trustedProxies } from "../src/access/sourceIp.js";
import type { Services } from "../src/context/context.js";
import { DroverError } from "../src/errors/errors.js";
import { requestIdOf } from "../src/http/requestId.js";
import { labelRoute } from "../src/http/countRequests.js";
import { refusal, type Answer } from "./answer.js";
import { handle, type Arrived, type Handled } from "./handler.js";
import { compileEndpoint } from "./endpoint.js";
import { RouteTable } from "./match.js";
import { describingPages } from "./openapi/pages.js";
import { viewerScript } from "./openapi/viewer.js";
import { routes } from "./routes/index.js";

const BASE = "/api/v1";

interface RestParts {
  readonly services: Services;
  readonly schema: GraphQLSchema;
  readonly access: Access;
  readonly requestLog: RequestLog;
  /** While it is too high, requests are refused. */
  readonly pressure?: Pressure;
}

/** Mounts all endpoints. @throws Error when a document does not fit the schema: the service must not start then */
export function mountRest(app: Express, parts: RestParts): void {
  const { services, access, requestLog } = parts;
  const proxies = trustedProxies(services.config.trustedProxies);
  const table = new RouteTable(routes.map((route) => compileEndpoint(parts.schema, route)));
  const pages = describingPages(parts.schema, routes);
  const admissions = new AdmissionLimit(services.config.limits.requestsAtOnce, parts.pressure);

  app.get(`${BASE}/docs/viewer.js`, viewerScript);
  app.use(BASE, answer);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = services.clock.now();
    const begin = performance.now();
    const arrived = arrivalOf(request, response);
    const page = pages(request.method, arrived.path);
    const handled = page === null ? await handleWithinLimit(arrived) : withoutToken(page, arrived);
    const line = logLine(arrived, handled, { at, durationMs: performance.now() - begin });
    if (isReading(request)) requestLog.record(line);
    else await requestLog.recordAnswer(line);
    if (handled.route !== null) labelRoute(response, BASE + handled.route);
    write(response, handled);
  }

  async function handleWithinLimit(arrived: Arrived): Promise<Handled> {
    const leave = admissions.enter();
    if (leave instanceof DroverError) return { answer: refusal(leave), token: null, rate: null, route: null };
    try {
      return await handle({ services, access, table }, arrived);
    } finally {
      leave();
    }
  }

  function arrivalOf(request: IncomingMessage, response: ServerResponse): Arrived {
    const [path, queryString] = splitOnce(withoutOrigin(request.url ?? "/"), "?");
    const requestId = requestIdOf(request, response);
    return { request, response, requestId, sourceIp: sourceIp(originOf(request), proxies), path, queryString };
  }
}

/** What is answered without a token: nothing is learnt of who asks. */
const withoutToken = (answer: Answer, { path }: Arrived): Handled => ({ answer, token: null, rate: null, route: path });

const isReading = ({ method }: IncomingMessage): boolean => method === "GET" || method === "HEAD";

/** Clients that take the service for a proxy name it before the path; every server has to understand them. */
const withoutOrigin = (url: string): string => url.replace(/^https?:\/\/[^/?]*/i, "");

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

function logLine(
  { request, sourceIp: source, path }: Arrived,
  { answer, token }: Handled,
  timing: Timing,
): LoggedRequest {
  return {
    ...timing,
    tokenId: token?.id ?? null,
    tokenName: token?.name ?? null,
    sourceIp: source,
    method: request.method ?? "",
    path: BASE + path,
    status: answer.status,
  };
}

interface Timing {
  readonly at: Date;
  readonly durationMs: number;
}

/** Characters from which an answer goes to the socket on its own: Node.js would join it with the head, and count its bytes twice. */
const LARGE = 64 * 1024;

function write(response: ServerResponse, { answer, rate }: Handled): void {
  const pieces = piecesOf(answer.body);
  response.writeHead(answer.status, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": pieces.reduce((bytes, piece) => bytes + Buffer.byteLength(piece), 0),
    "Cache-Control": "no-store",
    ...rateHeaders(rate),
    ...answer.headers,
  });
  for (const piece of pieces.slice(0, -1)) response.write(piece);
  response.end(pieces.at(-1));
}

function piecesOf(body: Answer["body"]): readonly (string | Buffer)[] {
  if (typeof body !== "string") return body;
  return [body.length < LARGE ? body : Buffer.from(body)];
}
