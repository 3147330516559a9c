// Serves GraphQL over WebSocket: connects the graphql-ws server, admission, operations and the check of live connections.
import type { GraphQLError, GraphQLFormattedError, GraphQLSchema } from "graphql";
import { makeServer } from "graphql-ws";
import type { ServerOptions } from "ws";
import type { Access } from "../src/access/authenticate.js";
import type { RequestLog } from "../src/access/requestLog.js";
import { NO_PRESSURE, refusalUnder, type Pressure } from "../src/access/admission/load.js";
import type { TrustedProxies } from "../src/access/sourceIp.js";
import type { Services } from "../src/context/context.js";
import type { Logger } from "../src/observability/log.js";
import { arrivalOf } from "./arrival.js";
import { executeAndTell } from "./carriedOut.js";
import { presentError } from "./errorPresentation.js";
import { LiveConnections } from "./liveConnections.js";
import { SocketDoor } from "./socketConnections.js";
import { SocketOperations } from "./socketOperations.js";
import { SocketQuota } from "./socketQuota.js";
import { serveWebSockets, type WebSockets } from "./webSocket.js";
import type { Wire } from "./wire.js";

interface SubscriptionParts {
  readonly services: Services;
  readonly access: Access;
  readonly schema: GraphQLSchema;
  readonly requestLog: RequestLog;
  readonly proxies: TrustedProxies;
  /** For the request log. */
  readonly path: string;
  readonly pressure?: Pressure | undefined;
  /** HTTP server, path and largest message. */
  readonly socket: ServerOptions;
}

/** Serves all kinds of operations over WebSocket. */
export function serveSubscriptions({ pressure = NO_PRESSURE, ...parts }: SubscriptionParts): WebSockets {
  const { services, access, proxies, socket } = parts;
  const { log } = services;
  const live = new LiveConnections(services, access);
  const quota = new SocketQuota(services.config.limits);
  const door = new SocketDoor({ ...parts, quota, live });
  const operations = new SocketOperations({ ...parts, pressure, tokenOf: (wire) => live.tokenOf(wire) });
  const present = presenterOf(log);

  const protocol = makeServer<Record<string, unknown> | undefined, Wire>({
    onConnect: (connection) => door.letIn(connection),
    // Its other hook, for the end of a connection, is silent about those that were never let in.
    onClose: ({ extra: wire }) => live.remove(wire),
    onSubscribe: (connection, _id, payload) => operations.prepare(connection, payload),
    execute: executeAndTell,
    subscribe: (prepared) => operations.subscribe(prepared),
    onError: ({ extra: wire }, _id, _payload, errors) => present(errors, wire),
    onNext: ({ extra: wire }, _id, _payload, _args, { errors, ...result }) =>
      errors && { ...result, errors: present(errors, wire) },
  });
  const sockets = serveWebSockets({
    protocol,
    options: socket,
    log,
    sourceOf: (request) => arrivalOf(request, proxies).sourceIp,
    refuse: () => refusalUnder(pressure),
    enter: (wire) => quota.enter(wire, wire.sourceIp),
    leave: (wire) => quota.leave(wire),
  });
  return {
    async close() {
      live.close();
      await sockets.close();
    },
  };
}

/** Subscribers share results: a fault is logged once, and all of them get the same request id. */
function presenterOf(log: Logger): (errors: readonly GraphQLError[], wire: Wire) => GraphQLFormattedError[] {
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
