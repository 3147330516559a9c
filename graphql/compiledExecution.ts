// Executes operations: repeated queries in compiled form, everything else with graphql-js.
import {
  BREAK,
  OperationTypeNode,
  visit,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from "graphql";
import { LRUCache } from "lru-cache";
import { compileQuery, isCompiledQuery, type CompiledQuery } from "graphql-jit";
import type { Context } from "../src/context/context.js";
import { executeAndTell } from "./carriedOut.js";

/** Operations whose compiled form is kept; the least recently used are evicted. */
const MOST_COMPILED = 500;
/** Compiling costs as much as many executions: a document that is seen once is not worth it. */
const USES_BEFORE_COMPILING = 1;

/** An operation of a valid document, with what it runs on. */
interface OperationRequest {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly operationName: string | null;
  readonly context: Context;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Runs one operation, the same document object for the same text. */
export type ExecuteOperation = (asked: OperationRequest) => Promise<ExecutionResult>;

/** @returns what executes operations on the schema; each server has its own. */
export function compiledExecution(schema: GraphQLSchema): ExecuteOperation {
  const uses = new WeakMap<OperationDefinitionNode, number>();
  const compiled = new LRUCache<OperationDefinitionNode, { readonly form: CompiledQuery | null }>({
    max: MOST_COMPILED,
  });

  return async (asked) => {
    const query = compiledForm(asked);
    if (query === null) return byGraphqlJs(schema, asked);
    const result = await query.query({}, asked.context, { ...asked.variables });
    return isWhole(result) ? result : byGraphqlJs(schema, asked);
  };

  /** Null: this operation is not compiled, or not yet. */
  function compiledForm({ document, operation, operationName }: OperationRequest): CompiledQuery | null {
    const known = compiled.get(operation);
    if (known !== undefined) return known.form;
    const used = uses.get(operation) ?? 0;
    uses.set(operation, used + 1);
    if (used < USES_BEFORE_COMPILING) return null;
    const form = isCompilable(document, operation) ? compile(document, operationName) : null;
    compiled.set(operation, { form });
    return form;
  }

  function compile(document: DocumentNode, operationName: string | null): CompiledQuery | null {
    const result = compileQuery(schema, document, operationName ?? undefined);
    return isCompiledQuery(result) ? result : null;
  }
}

/**
 * Variables that the compiled form takes for wrong, arguments and values too, are judged and reported by graphql-js; what resolvers
 * threw is theirs alone.
 */
const isWhole = ({ data, errors = [] }: ExecutionResult): boolean =>
  data !== undefined && errors.every(({ originalError }) => originalError !== undefined);

/**
 * Mutations are written once for each call of a person, and introspection costs its compilation more than it is ever used. What is
 * skipped or included would be compiled with its fields in another order, or in spite of its condition.
 */
function isCompilable(document: DocumentNode, { operation }: OperationDefinitionNode): boolean {
  if (operation !== OperationTypeNode.QUERY) return false;
  let isPlain = true;
  const leave = (): typeof BREAK => {
    isPlain = false;
    return BREAK;
  };
  visit(document, { Directive: leave, Name: ({ value }) => (NOT_COMPILED.has(value) ? leave() : undefined) });
  return isPlain;
}

/** Introspection's fields, and the alias that would be lost: in the compiled form it is no key of an answer. */
const NOT_COMPILED = new Set(["__schema", "__type", "__proto__"]);

const byGraphqlJs = async (
  schema: GraphQLSchema,
  { document, operationName, context, variables }: OperationRequest,
): Promise<ExecutionResult> =>
  executeAndTell({
    schema,
    document,
    operationName,
    rootValue: {},
    contextValue: context,
    variableValues: variables,
  });
