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
import type { Admission } from "../src/access/admission/admission.js";
import { callerOf } from "../src/access/admission/caller.js";
import type { Call } from "../src/access/admission/call.js";
import type { Viewer } from "../src/access/viewer.js";
import { onBehalfOf } from "../src/concurrency/callerScope.js";
import type { Services } from "../src/context/context.js";
import { refusalFor } from "../src/db/databaseTrouble.js";
import { DroverError, httpStatusOf } from "../src/errors/errors.js";
import { ACCEPTED, presentedBy } from "./arrival.js";
import { executeAndTell } from "./carriedOut.js";
import { documentsOf, InvalidDocument, type ReadDocument } from "./documents.js";
import { refuseExcessive } from "./operationCost.js";
import { SharedSubscriptions } from "./shared/sharedSubscriptions.js";
import type { Subscriber } from "./shared/subscriber.js";
import type { SocketConnection, ClientSocket } from "./clientSocket.js";

/** Operations that one connection may have open. */
const MOST_OPERATIONS = 100;
/** Statuses of the request log. */
const OK = 200;
const BAD_REQUEST = 400;

interface SocketOperationsParts {
  readonly services: Services;
  readonly admission: Admission;
  readonly schema: GraphQLSchema;
  /** For the request log. */
  readonly path: string;
  /** Who a connection was admitted for, for the request log. */
  readonly viewerOf: (client: ClientSocket) => Viewer | null;
}

/** A valid operation within bounds, before it is known who executes it. */
type AskedOperation = Omit<ExecutionArgs, "schema">;

/** The context of a subscription on its way through the protocol's server. */
class SubscriptionRequest {
  constructor(
    readonly viewer: Viewer,
    readonly sourceIp: string,
    readonly client: ClientSocket,
  ) {}
}

/** The operations of all connections. */
export class SocketOperations {
  readonly #parts: SocketOperationsParts;
  readonly #documents: ReadDocument;
  readonly #shared: SharedSubscriptions;
  /** By the context of each operation that is executed on its own. */
  readonly #calls = new WeakMap<object, Call>();

  constructor(parts: SocketOperationsParts) {
    this.#parts = parts;
    this.#documents = documentsOf(parts.schema);
    this.#shared = new SharedSubscriptions(parts.schema, parts.services);
  }

  /** @returns the arguments that the protocol's server executes, or the errors for the client */
  prepare(connection: SocketConnection, payload: SubscribePayload): Promise<ExecutionArgs | readonly GraphQLError[]> {
    return this.#admitted(connection, payload).catch(errorsOf);
  }

  /** Begins a subscription: the protocol's server brings back what it was given by `prepare`. */
  async subscribe({ contextValue, ...asked }: ExecutionArgs): Promise<Subscriber | ExecutionResult> {
    if (!(contextValue instanceof SubscriptionRequest)) throw new TypeError("A subscription was not prepared");
    const { document, operationName, variableValues } = asked;
    const { viewer, sourceIp, client } = contextValue;
    const question = { document, operationName, variableValues, viewer, sourceIp };
    // What it reads, now and with each change, is charged to who began it.
    const begun = onBehalfOf(callerOf(viewer, sourceIp), () => this.#shared.subscribe(question, client));
    return begun.catch((error: unknown) => {
      if (error instanceof DroverError) return { errors: errorsOf(error) };
      throw error;
    });
  }

  /** Executes a query or mutation in a slot. */
  async execute(args: ExecutionArgs): Promise<ExecutionResult> {
    const { contextValue } = args;
    const call = typeof contextValue === "object" && contextValue !== null ? this.#calls.get(contextValue) : undefined;
    if (call === undefined) throw new TypeError("An operation was not prepared");
    const leave = call.enter();
    return call
      .inSlot(() => executeAndTell(args))
      .catch((error: unknown) => ({ errors: errorsOf(error) }))
      .finally(leave);
  }

  /** @throws DroverError, GraphQLError, InvalidDocument: what the operation is refused with */
  async #admitted(connection: SocketConnection, payload: SubscribePayload): Promise<ExecutionArgs> {
    const { admission, path } = this.#parts;
    const call = admission.call({ sourceIp: connection.extra.sourceIp, method: "WS", path });
    try {
      this.#refuseFlood(connection, call);
      const viewer = await authenticate(call, connection);
      const asked = this.#read(payload, call);
      // What changes something is in the log before it is done.
      if (typeOf(asked) === OperationTypeNode.MUTATION) await call.logNow(OK);
      else call.logSoon(OK);
      return {
        ...asked,
        schema: this.#parts.schema,
        contextValue: this.#contextOf(asked, { call, viewer, connection }),
      };
    } catch (error) {
      const refusal = refusalFor(error);
      call.logSoon(refusal === null ? BAD_REQUEST : httpStatusOf[refusal.kind]);
      throw error;
    }
  }

  #contextOf(asked: AskedOperation, { call, viewer, connection }: AdmittedOperation): object {
    const { extra: client } = connection;
    const { sourceIp, requestId } = client;
    if (typeOf(asked) === OperationTypeNode.SUBSCRIPTION) return new SubscriptionRequest(viewer, sourceIp, client);
    const context = { ...this.#parts.services, viewer, sourceIp, requestId };
    this.#calls.set(context, call);
    return context;
  }

  /** Before anything is done for it: a flood of operations costs no more than their refusal. */
  #refuseFlood({ subscriptions, extra: client }: SocketConnection, call: Call): void {
    if (Object.keys(subscriptions).length <= MOST_OPERATIONS) return;
    const viewer = this.#parts.viewerOf(client);
    if (viewer !== null) call.isOf(viewer);
    throw new DroverError("rateLimited", `At most ${MOST_OPERATIONS} operations may be open on one connection`);
  }

  #read(payload: SubscribePayload, call: Call): AskedOperation {
    const document = this.#documents(payload.query);
    const operationName = payload.operationName ?? null;
    const variables = payload.variables ?? {};
    refuseExcessive({ schema: this.#parts.schema, document, operationName, variables });
    const asked = { document, operationName, variableValues: variables };
    // A refused subscription stays without events: a connection that was admitted keeps those that it needs.
    if (typeOf(asked) !== OperationTypeNode.SUBSCRIPTION) call.refuseUnderPressure();
    return asked;
  }
}

/** An operation that is about to be executed. */
interface AdmittedOperation {
  readonly call: Call;
  readonly viewer: Viewer;
  readonly connection: SocketConnection;
}

/** A connection whose token is no longer good ends with its next operation. @throws DroverError */
async function authenticate(call: Call, connection: SocketConnection): Promise<Viewer> {
  try {
    return await call.authenticate(presentedBy(connection), ACCEPTED);
  } catch (error) {
    const isOver = error instanceof DroverError && (error.kind === "unauthenticated" || error.kind === "forbidden");
    if (isOver) connection.extra.close(CloseCode.Forbidden, "Forbidden");
    throw error;
  }
}

const typeOf = ({ document, operationName }: AskedOperation): OperationTypeNode | undefined =>
  getOperationAST(document, operationName)?.operation;

/** An error before an operation starts goes to its client. */
function errorsOf(error: unknown): readonly GraphQLError[] {
  if (error instanceof InvalidDocument) return error.faults;
  if (error instanceof GraphQLError) return [error];
  const cause = error instanceof Error ? error : new Error(String(error));
  return [new GraphQLError(cause.message, { originalError: cause })];
}
