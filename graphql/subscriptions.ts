// Decides who may run operations over WebSocket: each operation is admitted anew, and a connection ends with its credential.
import { GraphQLError, parse, validate, type ExecutionArgs, type GraphQLSchema } from "graphql";
import { CloseCode, makeServer, type Context as ConnectionState, type SubscribePayload } from "graphql-ws";
import { randomUUID } from "node:crypto";
import type { ServerOptions } from "ws";
import type { Access } from "../src/access/authenticate.js";
import type { TrustedProxies } from "../src/access/sourceIp.js";
import type { Viewer } from "../src/access/viewer.js";
import type { Services } from "../src/context.js";
import { DroverError } from "../src/errors.js";
import { MOST_TOKENS } from "./apollo.js";
import { ACCEPTED, arrivalOf, type Arrived } from "./arrival.js";
import { LiveConnections } from "./liveConnections.js";
import { presentError } from "./errorPresentation.js";
import { refuseExcessive } from "./operationCost.js";
import { serveWebSockets, type WebSockets, type Wire } from "./webSocket.js";

/** Operations that one connection may have open. */
const MOST_OPERATIONS = 100;

interface SubscriptionParts {
  readonly services: Services;
  readonly access: Access;
  readonly schema: GraphQLSchema;
  readonly proxies: TrustedProxies;
  /** HTTP server, path and largest message. */
  readonly socket: ServerOptions;
}

type Connection = ConnectionState<Record<string, unknown> | undefined, Wire>;

/** Serves all kinds of operations over WebSocket. */
export function serveSubscriptions(parts: SubscriptionParts): WebSockets {
  const { services, access, schema, proxies } = parts;
  const live = new LiveConnections(services, access);
  const requestIds = new WeakMap<Wire, string>();

  function circumstances({ extra }: Connection): { requestId: string; log: Services["log"] } {
    const requestId = requestIds.get(extra) ?? randomUUID();
    requestIds.set(extra, requestId);
    return { requestId, log: services.log };
  }

  async function connect(connection: Connection): Promise<boolean> {
    const arrived = arrivalOverSocket(connection, proxies);
    const admission = await access.authenticate(arrived, ACCEPTED);
    if (admission.admitted) live.add({ wire: connection.extra, arrived, viewer: admission.viewer });
    return admission.admitted;
  }

  async function admitOperation(connection: Connection): Promise<Viewer> {
    if (Object.keys(connection.subscriptions).length > MOST_OPERATIONS) {
      throw new DroverError("rateLimited", `At most ${MOST_OPERATIONS} operations may be open on one connection`);
    }
    const admission = await access.authenticate(arrivalOverSocket(connection, proxies), ACCEPTED);
    if (admission.admitted) return admission.viewer;
    if (admission.refusal.kind !== "rateLimited") connection.extra.close(CloseCode.Forbidden, "Forbidden");
    throw admission.refusal;
  }

  async function prepare(connection: Connection, payload: SubscribePayload): Promise<ExecutionArgs> {
    const viewer = await admitOperation(connection);
    const { sourceIp } = arrivalOverSocket(connection, proxies);
    const { requestId } = circumstances(connection);
    const asked = readOperation(schema, payload);
    return { ...asked, schema, contextValue: { ...services, viewer, sourceIp, requestId } };
  }

  const protocol = makeServer<Record<string, unknown> | undefined, Wire>({
    onConnect: connect,
    // Its other hook, for the end of a connection, is silent about those that were never let in.
    onClose: ({ extra }) => live.remove(extra),
    onSubscribe: (connection, _id, payload) => prepare(connection, payload).catch(errorsOf),
    onError: (connection, _id, _payload, errors) =>
      errors.map((error) => presentError(error, circumstances(connection))),
    onNext: (connection, _id, _payload, _args, { errors, ...result }) =>
      errors && { ...result, errors: errors.map((error) => presentError(error, circumstances(connection))) },
  });
  const sockets = serveWebSockets(protocol, parts.socket, services.log);
  return {
    async close() {
      live.close();
      await sockets.close();
    },
  };
}

/** Parsed, valid and within bounds. @throws GraphQLError */
function readOperation(schema: GraphQLSchema, payload: SubscribePayload): Omit<ExecutionArgs, "schema"> {
  const document = parse(payload.query, { maxTokens: MOST_TOKENS });
  const faults = validate(schema, document);
  if (faults.length > 0) throw new InvalidDocument(faults);
  const variables = payload.variables ?? {};
  refuseExcessive({ schema, document, operationName: payload.operationName ?? null, variables });
  return { document, operationName: payload.operationName ?? null, variableValues: variables };
}

class InvalidDocument extends Error {
  constructor(readonly faults: readonly GraphQLError[]) {
    super("The document is not valid");
  }
}

/** What goes wrong before an operation starts is told to its client. */
function errorsOf(error: unknown): readonly GraphQLError[] {
  if (error instanceof InvalidDocument) return error.faults;
  if (error instanceof GraphQLError) return [error];
  const cause = error instanceof Error ? error : new Error(String(error));
  return [new GraphQLError(cause.message, { originalError: cause })];
}

/** The token comes in `connection_init`: `{"authorization": "Bearer …"}`, the name in any case. */
function arrivalOverSocket({ connectionParams, extra }: Connection, proxies: TrustedProxies): Arrived {
  const { sourceIp } = arrivalOf(extra.request, proxies);
  const [, authorization] =
    Object.entries(connectionParams ?? {}).find(([name]) => name.toLowerCase() === "authorization") ?? [];
  return { sourceIp, authorization: typeof authorization === "string" ? authorization : undefined };
}
