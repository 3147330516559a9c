// Decides what GraphQL callers see of an error: refusals as they are, internal faults masked.
import { GraphQLError, type GraphQLFormattedError } from "graphql";
import { databaseRefusal } from "../src/db/databaseTrouble.js";
import type { Problem } from "../src/core/problem.js";
import { isUnstorableText } from "../src/db/unstorableText.js";
import { DroverError, graphqlCodeOf } from "../src/errors/errors.js";
import type { Logger } from "../src/observability/log.js";
import { inGraphqlNames } from "./fieldNames.js";

/** The request in which an error came up. */
interface ErrorCircumstances {
  readonly requestId: string;
  readonly log: Logger;
}

/** Codes of errors that callers make before anything is executed: a malformed document, argument or variable. */
const CODE_OF_CALLER_FAULT: Readonly<Record<string, string>> = {
  GRAPHQL_PARSE_FAILED: "VALIDATION_FAILED",
  GRAPHQL_VALIDATION_FAILED: "VALIDATION_FAILED",
  BAD_USER_INPUT: "VALIDATION_FAILED",
};

/** The error for the caller. A fault is logged with its cause, and shown with the request's id only. */
export function presentError(error: GraphQLError, circumstances: ErrorCircumstances): GraphQLFormattedError {
  const presented = presentCause(error, circumstances);
  const carriedOut = carriedOutBefore(error);
  return carriedOut === undefined ? presented : { ...presented, extensions: { ...presented.extensions, carriedOut } };
}

/** Errors of the compiled form have no extensions, whatever their type says. */
const carriedOutBefore = ({ extensions }: Partial<Pick<GraphQLError, "extensions">>): unknown =>
  extensions?.["carriedOut"];

function presentCause(error: GraphQLError, circumstances: ErrorCircumstances): GraphQLFormattedError {
  const cause = causeOf(error);
  const place = {
    ...(error.locations === undefined ? {} : { locations: error.locations }),
    ...(error.path === undefined ? {} : { path: error.path }),
  };
  if (cause === null) return { ...presentCallerFault(error), ...place };
  const refusal = refusalOf(cause);
  if (refusal !== null) return { ...place, ...presentRefusal(refusal) };
  const { log, requestId } = circumstances;
  log.error({ err: cause, requestId, path: error.path }, "a GraphQL request failed");
  return {
    message: `Internal error (request ${requestId})`,
    ...place,
    extensions: { code: "INTERNAL_SERVER_ERROR", requestId },
  };
}

/** What callers did wrong in a document or its variables. */
export function presentCallerFault(error: GraphQLError): GraphQLFormattedError {
  const { reason } = error.extensions;
  const stable = typeof reason === "string" ? { reason } : {};
  return { message: error.message, extensions: { code: callerCode(error), ...stable } };
}

/** A refusal in the form that GraphQL answers have; also for requests that are refused before they are executed. */
export const presentRefusal = (refusal: DroverError): GraphQLFormattedError => ({
  message: refusal.fields.length === 0 ? refusal.message : inGraphqlNames(refusal.message),
  extensions: extensionsOf(refusal),
});

/** What resolvers or the service's own data did wrong; null when GraphQL refused the document or its variables. */
function causeOf(error: GraphQLError): unknown {
  const thrown = innermost(error);
  if (!(thrown instanceof GraphQLError)) return thrown;
  // In the middle of an execution only the arguments of a field can still be the caller's fault.
  return error.path === undefined || thrown.message.startsWith("Argument ") ? null : thrown;
}

const innermost = (error: unknown): unknown =>
  error instanceof GraphQLError && error.originalError !== undefined ? innermost(error.originalError) : error;

function refusalOf(cause: unknown): DroverError | null {
  if (cause instanceof DroverError) return cause;
  if (isUnstorableText(cause)) return new DroverError("validation", "Text must not contain NUL characters", { cause });
  return databaseRefusal(cause);
}

function extensionsOf({ kind, reason, fields, methods, retryAfterSeconds }: DroverError): Record<string, unknown> {
  return {
    code: graphqlCodeOf[kind],
    ...(reason === undefined ? {} : { reason }),
    ...(fields.length === 0 ? {} : { fields: fields.map(fieldInGraphql) }),
    ...(methods.length === 0 ? {} : { methods: methods.map((method) => method.toUpperCase()) }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
}

const fieldInGraphql = ({ field, message }: Problem): Problem => ({
  field: inGraphqlNames(field),
  message: inGraphqlNames(message),
});

function callerCode({ extensions }: GraphQLError): string {
  const code = typeof extensions["code"] === "string" ? extensions["code"] : "VALIDATION_FAILED";
  return CODE_OF_CALLER_FAULT[code] ?? code;
}
