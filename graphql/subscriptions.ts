// Serves GraphQL over WebSocket: connects the graphql-ws server, admission, operations and the check of live connections.
import type { GraphQLError, GraphQLFormattedError, GraphQLSchema } from "graphql";
import { makeServer } from "graphql-ws";
import type { IncomingMessage } from "node:http";
import type { ServerOptions } from "ws";
import { hasSessionCookie } from "../src/access/accessToken.js";
import type { Admission } from "../src/access/admission/admission.js";
import { sourceCaller } from "../src/access/admission/caller.js";
import { refusalUnder } from "../src/access/admission/load.js";
import type { Services } from "../src/context/context.js";
import { httpStatusOf, type DroverError } from "../src/errors/errors.js";
import type { Logger } from "../src/observability/log.js";
import { presentError } from "./errorPresentation.js";
import { LiveConnections } from "./liveConnections.js";
import { SocketConnections } from "./socketConnections.js";
import { SocketOperations } from "./socketOperations.js";
import { SocketQuota } from "./socketQuota.js";
import { serveWebSockets, type WebSockets } from "./webSocket.js";
import type { ClientSocket } from "./clientSocket.js";

interface SubscriptionParts {
  readonly services: Services;
  readonly admission: Admission;
  readonly schema: GraphQLSchema;
  /** For the request log. */
  readonly path: string;
  /** HTTP server, path and largest message. */
  readonly socket: ServerOptions;
}

/** Serves all kinds of operations over WebSocket. */
export function serveSubscriptions(parts: SubscriptionParts): WebSockets {
  const { services, admission, socket } = parts;
  const { log } = services;
  const live = new LiveConnections(services, admission.access);
  const quota = new SocketQuota(services.config.limits);
  const connections = new SocketConnections({ ...parts, quota, live });
  const operations = new SocketOperations({ ...parts, viewerOf: (client) => live.viewerOf(client) });
  const present = presenterOf(log);

  const protocol = makeServer<Record<string, unknown> | undefined, ClientSocket>({
    onConnect: (connection) => connections.admit(connection),
    // Its other hook, for the end of a connection, is silent about those that were never let in.
    onClose: ({ extra: client }) => live.remove(client),
    onSubscribe: (connection, _id, payload) => operations.prepare(connection, payload),
    execute: (prepared) => operations.execute(prepared),
    subscribe: (prepared) => operations.subscribe(prepared),
    onError: ({ extra: client }, _id, _payload, errors) => present(errors, client),
    onNext: ({ extra: client }, _id, _payload, _args, { errors, ...result }) =>
      errors && { ...result, errors: present(errors, client) },
  });
  const sockets = serveWebSockets({
    protocol,
    options: socket,
    log,
    sourceOf: (request) => admission.sourceOf(request),
    turn: ({ sourceIp }, bytes) => admission.largeBodies.turn(sourceCaller(sourceIp), bytes),
    refuse: (request) => refusalUnder(admission.pressure) ?? foreignRefusal(parts, request),
    enter: (client) => quota.enter(client, client.sourceIp),
    leave: (client) => quota.leave(client),
  });
  return {
    async close() {
      live.close();
      await sockets.close();
    },
  };
}

/** A page of another site is refused with a cookie, whatever it would send later: only with the handshake does a browser say where it is. */
function foreignRefusal({ admission, path }: SubscriptionParts, request: IncomingMessage): DroverError | null {
  if (!hasSessionCookie(request.headers.cookie)) return null;
  const refusal = admission.ownOrigin.refusalOf(request, true);
  if (refusal !== null) {
    const call = admission.call({ sourceIp: admission.sourceOf(request), method: "GET", path });
    call.logSoon(httpStatusOf[refusal.kind]);
  }
  return refusal;
}

/** Subscribers share results: a fault is logged once, and all of them get the same request id. */
function presenterOf(log: Logger): (errors: readonly GraphQLError[], client: ClientSocket) => GraphQLFormattedError[] {
  const presented = new WeakMap<Error, GraphQLFormattedError>();
  return (errors, { requestId }) =>
    errors.map((error) => {
      const key = sharedPart(error);
      const known = presented.get(key) ?? presentError(error, { requestId, log });
      presented.set(key, known);
      return known;
    });
}

/** The fault that ends a subscription is wrapped for each subscriber; a fault of a field has its path already. */
const sharedPart = (error: GraphQLError): Error => (error.path === undefined ? (error.originalError ?? error) : error);
