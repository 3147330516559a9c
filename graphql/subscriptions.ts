// Decides who may run operations over WebSocket: each operation is admitted anew, and a connection ends with its credential.
import {
  getOperationAST,
  GraphQLError,
  OperationTypeNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
} from "graphql";
import { CloseCode, makeServer, type SubscribePayload } from "graphql-ws";
import { randomUUID } from "node:crypto";
import type { ServerOptions } from "ws";
import type { Access, Admission } from "../src/access/authenticate.js";
import { refusalFor } from "../src/access/databaseTrouble.js";
import { NO_PRESSURE, refusalUnder, type Pressure } from "../src/access/room.js";
import type { RequestLog } from "../src/access/requestLog.js";
import type { TrustedProxies } from "../src/access/sourceIp.js";
import type { Viewer } from "../src/access/viewer.js";
import type { Services } from "../src/context.js";
import { DroverError, httpStatusOf } from "../src/errors.js";
import { ACCEPTED, arrivalOf, type Arrived } from "./arrival.js";
import { Audiences } from "./audience/audiences.js";
import type { Seat, Subscriber } from "./audience/subscriber.js";
import { documentsOf, InvalidDocument, type ReadDocument } from "./documents.js";
import { LiveConnections } from "./liveConnections.js";
import { presentError } from "./errorPresentation.js";
import { refuseExcessive } from "./operationCost.js";
import { SocketRoom } from "./socketRoom.js";
import { beginRow, type RowOf } from "./socketRow.js";
import { SocketSeat, type Connection } from "./socketSeat.js";
import { serveWebSockets, TRY_AGAIN_LATER, type WebSockets } from "./webSocket.js";
import type { Wire } from "./wire.js";

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
  readonly pressure?: Pressure | undefined;
  /** HTTP server, path and largest message. */
  readonly socket: ServerOptions;
}

interface AdmittedOperation {
  readonly viewer: Viewer;
  readonly asked: Omit<ExecutionArgs, "schema">;
}

/** Who asks for a subscription, on its way through the protocol's server. */
class Asker {
  constructor(
    readonly viewer: Viewer,
    readonly sourceIp: string,
    readonly seat: Seat,
  ) {}
}

/** Serves all kinds of operations over WebSocket. */
export function serveSubscriptions(parts: SubscriptionParts): WebSockets {
  const { services, access, schema, proxies, requestLog, pressure = NO_PRESSURE } = parts;
  const live = new LiveConnections(services, access);
  const documents = documentsOf(schema);
  const audiences = new Audiences(schema, services);
  const requestIds = new WeakMap<Wire, string>();
  const room = new SocketRoom(services.config.limits);

  function circumstances({ extra }: Connection): { requestId: string; log: Services["log"] } {
    const requestId = requestIds.get(extra) ?? randomUUID();
    requestIds.set(extra, requestId);
    return { requestId, log: services.log };
  }

  async function connect(connection: Connection): Promise<boolean> {
    const arrived = arrivalOverSocket(connection);
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
    live.add({ wire, authorization: arrived.authorization, viewer: admission.viewer });
    return true;
  }

  /** @throws DroverError, GraphQLError, InvalidDocument: what the operation is refused with */
  function readAdmitted(connection: Connection, admission: Admission, payload: SubscribePayload): AdmittedOperation {
    if (!admission.admitted) {
      if (admission.refusal.kind !== "rateLimited") connection.extra.close(CloseCode.Forbidden, "Forbidden");
      throw admission.refusal;
    }
    const asked = readOperation({ schema, documents }, payload);
    // Who is refused a subscription hears nothing from then on: whoever was let in with a connection is let in with those.
    const late = operationOf(asked) === OperationTypeNode.SUBSCRIPTION ? null : refusalUnder(pressure);
    if (late !== null) throw late;
    return { viewer: admission.viewer, asked };
  }

  async function prepare(connection: Connection, id: string, payload: SubscribePayload): Promise<ExecutionArgs> {
    const arrived = arrivalOverSocket(connection);
    const row = beginRow(parts, "WS", arrived.sourceIp);
    // Before anything is done for it: a flood of operations costs no more than their refusal.
    if (Object.keys(connection.subscriptions).length > MOST_OPERATIONS) {
      requestLog.record(row(live.tokenOf(connection.extra), httpStatusOf.rateLimited));
      throw new DroverError("rateLimited", `At most ${MOST_OPERATIONS} operations may be open on one connection`);
    }
    const admission = await access.authenticate(arrived, ACCEPTED);
    try {
      const { viewer, asked } = readAdmitted(connection, admission, payload);
      // What changes something is in the log before it is done.
      if (operationOf(asked) === OperationTypeNode.MUTATION) await requestLog.recordNow(row(admission.token, OK));
      else requestLog.record(row(admission.token, OK));
      if (operationOf(asked) === OperationTypeNode.SUBSCRIPTION) {
        const seat = new SocketSeat(connection, id);
        return { ...asked, schema, contextValue: new Asker(viewer, arrived.sourceIp, seat) };
      }
      const { requestId } = circumstances(connection);
      return { ...asked, schema, contextValue: { ...services, viewer, sourceIp: arrived.sourceIp, requestId } };
    } catch (error) {
      const status = error instanceof DroverError ? httpStatusOf[error.kind] : BAD_REQUEST;
      requestLog.record(row(admission.token, status));
      throw error;
    }
  }

  /** The protocol's server brings back what it was given by `prepare`. */
  async function subscribe({ contextValue, ...asked }: ExecutionArgs): Promise<Subscriber | ExecutionResult> {
    if (!(contextValue instanceof Asker)) throw new TypeError("A subscription was not prepared");
    const { viewer, sourceIp, seat } = contextValue;
    const { document, operationName = null, variableValues } = asked;
    return audiences.join({ document, operationName, variableValues: variableValues ?? {}, viewer, sourceIp }, seat);
  }

  const protocol = makeServer<Record<string, unknown> | undefined, Wire>({
    onConnect: connect,
    // Its other hook, for the end of a connection, is silent about those that were never let in.
    onClose: ({ extra }) => live.remove(extra),
    onSubscribe: (connection, id, payload) => prepare(connection, id, payload).catch(errorsOf),
    subscribe,
    onError: (connection, _id, _payload, errors) =>
      errors.map((error) => presentError(error, circumstances(connection))),
    onNext: (connection, _id, _payload, _args, { errors, ...result }) =>
      errors && { ...result, errors: errors.map((error) => presentError(error, circumstances(connection))) },
  });
  const sockets = serveWebSockets({
    protocol,
    options: parts.socket,
    log: services.log,
    sourceOf: (request) => arrivalOf(request, proxies).sourceIp,
    refuse: () => refusalUnder(pressure),
    enter: (wire) => room.enter(wire, wire.sourceIp),
    leave: (wire) => room.leave(wire),
  });
  return {
    async close() {
      live.close();
      await sockets.close();
    },
  };
}

const operationOf = ({ document, operationName }: AdmittedOperation["asked"]): OperationTypeNode | undefined =>
  getOperationAST(document, operationName)?.operation;

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
function arrivalOverSocket({ connectionParams, extra: { sourceIp } }: Connection): Arrived {
  const [, authorization] =
    Object.entries(connectionParams ?? {}).find(([name]) => name.toLowerCase() === "authorization") ?? [];
  return { sourceIp, authorization: typeof authorization === "string" ? authorization : undefined };
}
