// Admits each operation over WebSocket, and decides how it is executed: a query or mutation by itself, a subscription with those who ask the same.
import {
  getOperationAST,
  GraphQLError,
  OperationTypeNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
} from "graphql";
import { CloseCode, type SubscribePayload } from "graphql-ws";
import type { Access, Admission, KnownToken } from "../src/access/authenticate.js";
import type { RequestLog } from "../src/access/requestLog.js";
import { refusalUnder, type Pressure } from "../src/access/admission/load.js";
import type { Viewer } from "../src/access/viewer.js";
import type { Services } from "../src/context/context.js";
import { DroverError, httpStatusOf } from "../src/errors/errors.js";
import { ACCEPTED, arrivalOverSocket } from "./arrival.js";
import { documentsOf, InvalidDocument, type ReadDocument } from "./documents.js";
import { refuseExcessive } from "./operationCost.js";
import { SharedSubscriptions } from "./shared/sharedSubscriptions.js";
import type { Subscriber } from "./shared/subscriber.js";
import { beginRow, type RowOf } from "./socketRow.js";
import type { Connection, Wire } from "./wire.js";

/** Operations that one connection may have open. */
const MOST_OPERATIONS = 100;
/** Statuses of the request log. */
const OK = 200;
const BAD_REQUEST = 400;

interface SocketOperationsParts {
  readonly services: Services;
  readonly access: Access;
  readonly schema: GraphQLSchema;
  readonly requestLog: RequestLog;
  /** For the request log. */
  readonly path: string;
  readonly pressure: Pressure;
  /** The API token that a connection was let in with, for the request log. */
  readonly tokenOf: (wire: Wire) => KnownToken | null;
}

/** A valid operation within bounds, before it is known who executes it. */
type AskedOperation = Omit<ExecutionArgs, "schema">;

/** The context of a subscription on its way through the protocol's server. */
class SubscriptionRequest {
  constructor(
    readonly viewer: Viewer,
    readonly sourceIp: string,
    readonly wire: Wire,
  ) {}
}

/** The operations of all connections. */
export class SocketOperations {
  readonly #parts: SocketOperationsParts;
  readonly #documents: ReadDocument;
  readonly #shared: SharedSubscriptions;

  constructor(parts: SocketOperationsParts) {
    this.#parts = parts;
    this.#documents = documentsOf(parts.schema);
    this.#shared = new SharedSubscriptions(parts.schema, parts.services);
  }

  /** @returns what the protocol's server is to execute, or what the client is told instead */
  prepare(connection: Connection, payload: SubscribePayload): Promise<ExecutionArgs | readonly GraphQLError[]> {
    return this.#admitted(connection, payload).catch(errorsOf);
  }

  /** Begins a subscription: the protocol's server brings back what it was given by `prepare`. */
  async subscribe({ contextValue, ...asked }: ExecutionArgs): Promise<Subscriber | ExecutionResult> {
    if (!(contextValue instanceof SubscriptionRequest)) throw new TypeError("A subscription was not prepared");
    const { document, operationName, variableValues } = asked;
    const { viewer, sourceIp, wire } = contextValue;
    return this.#shared.subscribe({ document, operationName, variableValues, viewer, sourceIp }, wire);
  }

  /** @throws DroverError, GraphQLError, InvalidDocument: what the operation is refused with */
  async #admitted(connection: Connection, payload: SubscribePayload): Promise<ExecutionArgs> {
    const { access, requestLog, services, schema } = this.#parts;
    const arrived = arrivalOverSocket(connection);
    const row = beginRow(this.#parts, "WS", arrived.sourceIp);
    this.#refuseFlood(connection, row);
    const admission = await access.authenticate(arrived, ACCEPTED);
    try {
      const viewer = viewerOf(admission, connection);
      const asked = this.#read(payload);
      const { sourceIp } = arrived;
      // What changes something is in the log before it is done.
      if (typeOf(asked) === OperationTypeNode.MUTATION) await requestLog.recordNow(row(admission.token, OK));
      else requestLog.record(row(admission.token, OK));
      const { extra: wire } = connection;
      if (typeOf(asked) === OperationTypeNode.SUBSCRIPTION) {
        return { ...asked, schema, contextValue: new SubscriptionRequest(viewer, sourceIp, wire) };
      }
      return { ...asked, schema, contextValue: { ...services, viewer, sourceIp, requestId: wire.requestId } };
    } catch (error) {
      const status = error instanceof DroverError ? httpStatusOf[error.kind] : BAD_REQUEST;
      requestLog.record(row(admission.token, status));
      throw error;
    }
  }

  /** Before anything is done for it: a flood of operations costs no more than their refusal. */
  #refuseFlood({ subscriptions, extra: wire }: Connection, row: RowOf): void {
    if (Object.keys(subscriptions).length <= MOST_OPERATIONS) return;
    this.#parts.requestLog.record(row(this.#parts.tokenOf(wire), httpStatusOf.rateLimited));
    throw new DroverError("rateLimited", `At most ${MOST_OPERATIONS} operations may be open on one connection`);
  }

  #read(payload: SubscribePayload): AskedOperation {
    const document = this.#documents(payload.query);
    const operationName = payload.operationName ?? null;
    const variables = payload.variables ?? {};
    refuseExcessive({ schema: this.#parts.schema, document, operationName, variables });
    const asked = { document, operationName, variableValues: variables };
    // Who is refused a subscription hears nothing from then on: whoever was let in with a connection is let in with those.
    const late = typeOf(asked) === OperationTypeNode.SUBSCRIPTION ? null : refusalUnder(this.#parts.pressure);
    if (late !== null) throw late;
    return asked;
  }
}

/** A connection whose token is no longer good ends with its next operation. @throws DroverError */
function viewerOf(admission: Admission, { extra: wire }: Connection): Viewer {
  if (admission.admitted) return admission.viewer;
  if (admission.refusal.kind !== "rateLimited") wire.close(CloseCode.Forbidden, "Forbidden");
  throw admission.refusal;
}

const typeOf = ({ document, operationName }: AskedOperation): OperationTypeNode | undefined =>
  getOperationAST(document, operationName)?.operation;

/** What goes wrong before an operation starts is told to its client. */
function errorsOf(error: unknown): readonly GraphQLError[] {
  if (error instanceof InvalidDocument) return error.faults;
  if (error instanceof GraphQLError) return [error];
  const cause = error instanceof Error ? error : new Error(String(error));
  return [new GraphQLError(cause.message, { originalError: cause })];
}
