// Mounts GraphQL on the HTTP server: operations over HTTP and WebSocket at /graphql, and GraphiQL's frame.
import { expressMiddleware } from "@as-integrations/express5";
import type { Express } from "express";
import type { Server } from "node:http";
import type { Admission } from "../src/access/admission/admission.js";
import { MOST_BODY_BYTES } from "../src/access/admission/body.js";
import type { Services } from "../src/context/context.js";
import { buildDroverSchema } from "../resolvers/buildSchema.js";
import { startApollo } from "./apollo.js";
import { graphiqlFrame } from "./graphiql.js";
import { HttpHandler } from "./httpHandler.js";
import { serveSubscriptions } from "./subscriptions.js";
import { refuseUncheckable } from "./uncheckable.js";
import type { WebSockets } from "./webSocket.js";

const PATH = "/graphql";

interface GraphqlParts {
  readonly services: Services;
  readonly admission: Admission;
}

/** Mounts GraphQL on an application and its server. @returns what ends its WebSockets; operations over HTTP end with the server */
export async function mountGraphql(app: Express, httpServer: Server, parts: GraphqlParts): Promise<WebSockets> {
  const schema = buildDroverSchema();
  const apollo = await startApollo(schema);
  const { services, admission } = parts;
  const handler = new HttpHandler({ services, admission, path: PATH });
  const execute = expressMiddleware(apollo, { context: ({ req }) => handler.contextOf(req) });
  app.get(`${PATH}/graphiql`, graphiqlFrame);
  app.use(PATH, handler.admit, refuseUncheckable, execute, handler.answerFault);
  return serveSubscriptions({
    services,
    schema,
    admission,
    path: PATH,
    socket: { server: httpServer, path: PATH, maxPayload: MOST_BODY_BYTES },
  });
}
