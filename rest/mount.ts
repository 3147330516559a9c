// Puts REST v1 on the HTTP server: every request under /api/v1 is answered, counted and logged here.
import type { Express } from "express";
import type { GraphQLSchema } from "graphql";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Admission } from "../src/access/admission/admission.js";
import { rateHeaders } from "../src/access/rateWindows.js";
import type { Services } from "../src/context/context.js";
import { labelRoute } from "../src/http/countRequests.js";
import { isRefusal, type Answer } from "./answer.js";
import { compileEndpoint } from "./endpoint.js";
import { BASE, handle } from "./handler.js";
import { RouteTable } from "./match.js";
import { describingPages } from "./openapi/pages.js";
import { viewerScript } from "./openapi/viewer.js";
import { routes } from "./routes/index.js";

interface RestParts {
  readonly services: Services;
  readonly schema: GraphQLSchema;
  readonly admission: Admission;
}

/** Mounts all endpoints. @throws Error when a document does not fit the schema: the service must not start then */
export function mountRest(app: Express, { services, schema, admission }: RestParts): void {
  const table = new RouteTable(routes.map((route) => compileEndpoint(schema, route)));
  const pages = describingPages(schema, routes);

  app.get(`${BASE}/docs/viewer.js`, viewerScript);
  app.use(BASE, answer);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path, queryString] = splitOnce(withoutOrigin(request.url ?? "/"), "?");
    const incoming = admission.receive(request, response, BASE + path);
    const page = pages(request.method, path);
    if (page !== null) labelRoute(response, BASE + path);
    const made = page ?? (await handle({ services, table }, { incoming, path, queryString }));
    if (isReading(request)) incoming.logSoon(made.status);
    else await incoming.logNow(made.status);
    if (isRefusal(made)) await incoming.paceRefusal(made.status);
    write(response, made, rateHeaders(incoming.rate));
  }
}

const isReading = ({ method }: IncomingMessage): boolean => method === "GET" || method === "HEAD";

/** Clients that take the service for a proxy name it before the path; every server has to understand them. */
const withoutOrigin = (url: string): string => url.replace(/^https?:\/\/[^/?]*/i, "");

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

/** Characters from which an answer goes to the socket on its own: Node.js would join it with the head, and count its bytes twice. */
const LARGE = 64 * 1024;

function write(response: ServerResponse, { status, body, headers }: Answer, rate: Record<string, string>): void {
  const bytes = body.length < LARGE ? body : Buffer.from(body);
  response.writeHead(status, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(bytes),
    "Cache-Control": "no-store",
    ...rate,
    ...headers,
  });
  response.end(bytes);
}
