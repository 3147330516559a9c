// Executes operations, and says when one of several mutations fails which others were carried out: the answer has no data then.
import {
  execute,
  getOperationAST,
  getVariableValues,
  GraphQLError,
  Kind,
  OperationTypeNode,
  type ExecutionArgs,
  type ExecutionResult,
  type FragmentDefinitionNode,
} from "graphql";
import { collectFields } from "graphql/execution/collectFields.js";

/** Mutations of one request are carried out one after the other; what comes after a failed one is not tried. */
export async function executeAndTell(asked: ExecutionArgs): Promise<ExecutionResult> {
  const { errors, ...result } = await execute(asked);
  if (errors === undefined) return result;
  return { ...result, errors: result.data === null ? errors.map((error) => withCarriedOut(error, asked)) : errors };
}

/** A fault within what a mutation gave back came after the mutation itself. */
function withCarriedOut(error: GraphQLError, asked: ExecutionArgs): GraphQLError {
  const { nodes, source, positions, path, originalError } = error;
  const [failed, ...within] = path ?? [];
  const keys = mutationsOf(asked);
  const place = keys.indexOf(String(failed));
  const carriedOut = keys.slice(0, within.length === 0 ? Math.max(0, place) : place + 1);
  if (carriedOut.length === 0) return error;
  const extensions = { ...error.extensions, carriedOut };
  return new GraphQLError(error.message, { nodes, source, positions, path, originalError, extensions });
}

/** @returns their keys in the answer, in the order in which they are carried out; none of another operation */
function mutationsOf({ schema, document, operationName, variableValues }: ExecutionArgs): string[] {
  const operation = getOperationAST(document, operationName);
  const type = schema.getMutationType();
  if (operation?.operation !== OperationTypeNode.MUTATION || !type) return [];
  const { coerced = {} } = getVariableValues(schema, operation.variableDefinitions ?? [], variableValues ?? {});
  const fragments = document.definitions.filter(
    (definition): definition is FragmentDefinitionNode => definition.kind === Kind.FRAGMENT_DEFINITION,
  );
  const byName = Object.fromEntries(fragments.map((fragment) => [fragment.name.value, fragment]));
  return [...collectFields(schema, byName, coerced, type, operation.selectionSet).keys()];
}
