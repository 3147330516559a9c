// Executes operations: queries that come again in a compiled form, everything else by graphql-js.
import {
  execute,
  Kind,
  OperationTypeNode,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from "graphql";
import { compileQuery, isCompiledQuery, type CompiledQuery } from "graphql-jit";
import type { Context } from "../src/context.js";

/** Operations whose compiled form is kept; those that were not used for longest are compiled anew. */
const MOST_COMPILED = 500;
/** Compiling costs as much as many executions: a document that is seen once is not worth it. */
const USES_BEFORE_COMPILING = 1;

/** An operation of a valid document, with what it runs on. */
export interface Asked {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly operationName: string | null;
  readonly context: Context;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Runs one operation, the same document object for the same text. */
export type ExecuteOperation = (asked: Asked) => Promise<ExecutionResult>;

/** @returns what executes operations on the schema; each server has its own. */
export function compiledExecution(schema: GraphQLSchema): ExecuteOperation {
  const uses = new WeakMap<OperationDefinitionNode, number>();
  const compiled = new Map<OperationDefinitionNode, CompiledQuery | null>();

  return async (asked) => {
    const query = compiledForm(asked);
    if (query === null) return byGraphqlJs(schema, asked);
    const result = await query.query({}, asked.context, { ...asked.variables });
    // Variables that the compiled form takes for wrong are judged, and reported, by graphql-js.
    return "data" in result ? result : byGraphqlJs(schema, asked);
  };

  /** Null: this operation is not compiled, or not yet. */
  function compiledForm({ document, operation, operationName }: Asked): CompiledQuery | null {
    const known = compiled.get(operation);
    if (known !== undefined) return keep(operation, known);
    const used = uses.get(operation) ?? 0;
    uses.set(operation, used + 1);
    if (used < USES_BEFORE_COMPILING) return null;
    return keep(operation, isCompilable(document, operation) ? compile(document, operationName) : null);
  }

  function compile(document: DocumentNode, operationName: string | null): CompiledQuery | null {
    const result = compileQuery(schema, document, operationName ?? undefined);
    return isCompiledQuery(result) ? result : null;
  }

  /** The newest use stands last. */
  function keep(operation: OperationDefinitionNode, form: CompiledQuery | null): CompiledQuery | null {
    compiled.delete(operation);
    compiled.set(operation, form);
    const [oldest] = compiled.size > MOST_COMPILED ? compiled.keys() : [];
    if (oldest !== undefined) compiled.delete(oldest);
    return form;
  }
}

/** Mutations are written once for each call of a person; introspection costs its compilation more than it is ever used. */
function isCompilable({ definitions }: DocumentNode, { operation, selectionSet }: OperationDefinitionNode): boolean {
  if (operation !== OperationTypeNode.QUERY) return false;
  const roots = [
    ...selectionSet.selections,
    ...definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? definition.selectionSet.selections : [],
    ),
  ];
  return roots.every((selection) => selection.kind !== Kind.FIELD || !INTROSPECTION.has(selection.name.value));
}

const INTROSPECTION = new Set(["__schema", "__type"]);

const byGraphqlJs = async (
  schema: GraphQLSchema,
  { document, operationName, context, variables }: Asked,
): Promise<ExecutionResult> =>
  execute({
    schema,
    document,
    operationName,
    rootValue: {},
    contextValue: context,
    variableValues: variables,
  });
