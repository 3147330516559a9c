// Decides who may run operations over WebSocket: each operation is admitted anew, and a connection ends with its credential.
import { getOperationAST, GraphQLError, OperationTypeNode, type ExecutionArgs, type GraphQLSchema } from "graphql";
import { CloseCode, makeServer, type Context as ConnectionState, type SubscribePayload } from "graphql-ws";
import { randomUUID } from "node:crypto";
import type { ServerOptions } from "ws";
import type { Access, Admission, KnownToken } from "../src/access/authenticate.js";
import { refusalFor } from "../src/access/databaseTrouble.js";
import type { RequestLog } from "../src/access/requestLog.js";
import type { TrustedProxies } from "../src/access/sourceIp.js";
import type { Viewer } from "../src/access/viewer.js";
import type { Services } from "../src/context.js";
import { DroverError, httpStatusOf } from "../src/errors.js";
import { ACCEPTED, arrivalOf, type Arrived } from "./arrival.js";
import { documentsOf, InvalidDocument, type ReadDocument } from "./documents.js";
import { LiveConnections } from "./liveConnections.js";
import { presentError } from "./errorPresentation.js";
import { refuseExcessive } from "./operationCost.js";
import { SocketRoom } from "./socketRoom.js";
import { beginRow, type RowOf } from "./socketRow.js";
import { serveWebSockets, TRY_AGAIN_LATER, type WebSockets, type Wire } from "./webSocket.js";

/** Operations that one connection may have open. */
const MOST_OPERATIONS = 100;
/** Statuses of the request log. */
const SWITCHING_PROTOCOLS = 101;
const OK = 200;
const BAD_REQUEST = 400;

interface SubscriptionParts {
  readonly services: Services;
  readonly access: Access;
  readonly schema: GraphQLSchema;
  readonly requestLog: RequestLog;
  readonly proxies: TrustedProxies;
  /** For the request log. */
  readonly path: string;
  /** HTTP server, path and largest message. */
  readonly socket: ServerOptions;
}

interface AdmittedOperation {
  readonly viewer: Viewer;
  readonly asked: Omit<ExecutionArgs, "schema">;
}

type Connection = ConnectionState<Record<string, unknown> | undefined, Wire>;

/** Serves all kinds of operations over WebSocket. */
export function serveSubscriptions(parts: SubscriptionParts): WebSockets {
  const { services, access, schema, proxies, requestLog } = parts;
  const live = new LiveConnections(services, access);
  const documents = documentsOf(schema);
  const requestIds = new WeakMap<Wire, string>();
  const tokens = new WeakMap<Wire, KnownToken>();
  const room = new SocketRoom(services.config.limits);

  function circumstances({ extra }: Connection): { requestId: string; log: Services["log"] } {
    const requestId = requestIds.get(extra) ?? randomUUID();
    requestIds.set(extra, requestId);
    return { requestId, log: services.log };
  }

  async function connect(connection: Connection): Promise<boolean> {
    const arrived = arrivalOverSocket(connection, proxies);
    const row = beginRow(parts, "GET", arrived.sourceIp);
    try {
      return await letIn(connection.extra, arrived, row);
    } catch (error) {
      const refusal = refusalFor(error);
      if (refusal === null) throw error;
      requestLog.record(row(null, httpStatusOf[refusal.kind]));
      // To be told apart from a bad token: clients come again by themselves.
      connection.extra.close(TRY_AGAIN_LATER, refusal.message);
      return false;
    }
  }

  async function letIn(wire: Wire, arrived: Arrived, row: RowOf): Promise<boolean> {
    const admission = await access.authenticate(arrived, ACCEPTED);
    const refusal = admission.admitted ? room.identify(wire, admission.viewer) : admission.refusal;
    requestLog.record(row(admission.token, refusal === null ? SWITCHING_PROTOCOLS : httpStatusOf[refusal.kind]));
    if (refusal?.kind === "unavailable") wire.close(TRY_AGAIN_LATER, refusal.message);
    if (!admission.admitted || refusal !== null) return false;
    if (admission.token !== null) tokens.set(wire, admission.token);
    live.add({ wire, arrived, viewer: admission.viewer });
    return true;
  }

  /** @throws DroverError, GraphQLError, InvalidDocument: what the operation is refused with */
  function readAdmitted(connection: Connection, admission: Admission, payload: SubscribePayload): AdmittedOperation {
    if (!admission.admitted) {
      if (admission.refusal.kind !== "rateLimited") connection.extra.close(CloseCode.Forbidden, "Forbidden");
      throw admission.refusal;
    }
    return { viewer: admission.viewer, asked: readOperation({ schema, documents }, payload) };
  }

  async function prepare(connection: Connection, payload: SubscribePayload): Promise<ExecutionArgs> {
    const arrived = arrivalOverSocket(connection, proxies);
    const row = beginRow(parts, "WS", arrived.sourceIp);
    // Before anything is done for it: a flood of operations costs no more than their refusal.
    if (Object.keys(connection.subscriptions).length > MOST_OPERATIONS) {
      requestLog.record(row(tokens.get(connection.extra) ?? null, httpStatusOf.rateLimited));
      throw new DroverError("rateLimited", `At most ${MOST_OPERATIONS} operations may be open on one connection`);
    }
    const admission = await access.authenticate(arrived, ACCEPTED);
    try {
      const { viewer, asked } = readAdmitted(connection, admission, payload);
      if (isMutation(asked)) await requestLog.recordNow(row(admission.token, OK));
      else requestLog.record(row(admission.token, OK));
      const { requestId } = circumstances(connection);
      return { ...asked, schema, contextValue: { ...services, viewer, sourceIp: arrived.sourceIp, requestId } };
    } catch (error) {
      const status = error instanceof DroverError ? httpStatusOf[error.kind] : BAD_REQUEST;
      requestLog.record(row(admission.token, status));
      throw error;
    }
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
  const sockets = serveWebSockets({
    protocol,
    options: parts.socket,
    log: services.log,
    enter: (wire) => room.enter(wire, arrivalOf(wire.request, proxies).sourceIp),
    leave: (wire) => room.leave(wire),
  });
  return {
    async close() {
      live.close();
      await sockets.close();
    },
  };
}

/** What changes something is in the log before it is done. */
const isMutation = ({ document, operationName }: AdmittedOperation["asked"]): boolean =>
  getOperationAST(document, operationName)?.operation === OperationTypeNode.MUTATION;

/** Within bounds. @throws GraphQLError, InvalidDocument */
function readOperation(
  { schema, documents }: { readonly schema: GraphQLSchema; readonly documents: ReadDocument },
  payload: SubscribePayload,
): Omit<ExecutionArgs, "schema"> {
  const document = documents(payload.query);
  const variables = payload.variables ?? {};
  refuseExcessive({ schema, document, operationName: payload.operationName ?? null, variables });
  return { document, operationName: payload.operationName ?? null, variableValues: variables };
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
