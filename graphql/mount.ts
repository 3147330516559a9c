// Mounts GraphQL on the HTTP server: operations over HTTP and WebSocket at /graphql, and GraphiQL.
import { expressMiddleware } from "@as-integrations/express5";
import { json, type Express } from "express";
import type { Server } from "node:http";
import type { Access } from "../src/access/authenticate.js";
import type { Pressure } from "../src/access/admission/slots.js";
import type { RequestLog } from "../src/access/requestLog.js";
import { trustedProxies } from "../src/access/sourceIp.js";
import type { Services } from "../src/context/context.js";
import { buildDroverSchema } from "../resolvers/buildSchema.js";
import { startApollo } from "./apollo.js";
import { graphiql } from "./graphiql.js";
import { HttpDoor } from "./httpHandler.js";
import { serveSubscriptions } from "./subscriptions.js";
import { refuseUncheckable } from "./uncheckable.js";
import type { WebSockets } from "./webSocket.js";

const PATH = "/graphql";
/** Largest request over HTTP and largest message over WebSocket. */
const MOST_BYTES = 1024 * 1024;

interface GraphqlParts {
  readonly services: Services;
  readonly access: Access;
  readonly requestLog: RequestLog;
  /** While it is too high, requests and new connections are refused, and operations but subscriptions on open ones. */
  readonly pressure?: Pressure;
}

/** Mounts GraphQL on an application and its server. @returns what ends its WebSockets; operations over HTTP end with the server */
export async function mountGraphql(app: Express, httpServer: Server, parts: GraphqlParts): Promise<WebSockets> {
  const schema = buildDroverSchema();
  const proxies = trustedProxies(parts.services.config.trustedProxies);
  const apollo = await startApollo(schema);
  const door = new HttpDoor({ ...parts, proxies, path: PATH });
  const execute = expressMiddleware(apollo, { context: ({ req, res }) => door.contextOf(req, res) });
  app.use(PATH, graphiql, door.letIn, json({ limit: MOST_BYTES }), refuseUncheckable, execute, door.answerFault);
  return serveSubscriptions({
    ...parts,
    schema,
    proxies,
    path: PATH,
    socket: { server: httpServer, path: PATH, maxPayload: MOST_BYTES },
  });
}
