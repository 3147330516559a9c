// Runs the documents of REST in-process: checked and compiled once at start, against the schema that GraphQL clients see.
import {
  parse,
  validate,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLSchema,
} from "graphql";
import { compileQuery, isCompiledQuery } from "graphql-jit";
import { databaseRefusal } from "../src/db/databaseTrouble.js";
import type { Context } from "../src/context/context.js";
import type { Variables } from "./route.js";

/** What an operation gave: its root fields, or the error that it failed with. */
type Outcome = { readonly data: Readonly<Record<string, unknown>> } | { readonly error: unknown };

export type Operation = (context: Context, variables: Variables) => Promise<Outcome>;

/**
 * Compiles a document. Leaves stay as resolvers hand them over: enum values are lower case inside the service, as REST has them,
 * moments are text or dates, which JSON writes alike.
 * @throws Error at start when the document does not fit the schema
 */
export function compileOperation(schema: GraphQLSchema, document: string): Operation {
  const parsed = parsedDocument(schema, document);
  const compiled = compileQuery<Record<string, unknown>>(schema, parsed, undefined, { disableLeafSerialization: true });
  if (!isCompiledQuery(compiled))
    throw new Error(`A REST document cannot be compiled: ${describe(compiled.errors ?? [])}`);
  return async (context, variables) => outcomeOf(await compiled.query({}, context, variables));
}

/** @throws Error when the document does not fit the schema */
export function parsedDocument(schema: GraphQLSchema, document: string): DocumentNode {
  const parsed = parse(document);
  const faults = validate(schema, parsed);
  if (faults.length > 0) throw new Error(`A REST document does not fit the schema: ${describe(faults)}\n${document}`);
  return parsed;
}

function outcomeOf({ data, errors }: ExecutionResult<Record<string, unknown>>): Outcome {
  const [error] = errors ?? [];
  if (error !== undefined) return { error: causeOf(error.originalError ?? error) };
  return data ? { data } : { error: new Error("An operation gave neither data nor an error") };
}

/** A refusal of the service as it was thrown; a database that cannot serve as a refusal; anything else is a fault. */
export const causeOf = (cause: unknown): unknown => databaseRefusal(cause) ?? cause;

const describe = (errors: readonly GraphQLError[]): string => errors.map(({ message }) => message).join("; ");
