// Runs a document whose root field is one read: calls its resolver, and passes the JSON that the read composed into the answer unparsed.
import {
  getArgumentValues,
  getVariableValues,
  Kind,
  type FieldNode,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from "graphql";
import { causeOf, parsedDocument, type Operation } from "./operation.js";

/** What stays the same from one run to the next. */
interface RootField {
  readonly operation: OperationDefinitionNode;
  readonly node: FieldNode;
  readonly definition: GraphQLField<unknown, unknown>;
  readonly resolve: GraphQLFieldResolver<unknown, unknown>;
  readonly info: Omit<GraphQLResolveInfo, "variableValues">;
}

/**
 * Compiles a document whose root field, called `data`, is a read. Permissions are the resolver's and scope is the read's, as
 * always; only what graphql would do to each record afterwards (its aliases, its enum values) is done by the read.
 * @throws Error at start when the document does not fit the schema, or is not of this form
 */
export function compileRawJson(schema: GraphQLSchema, document: string): Operation {
  const root = rootFieldOf(schema, document);
  return async (context, variables) => {
    try {
      const { coerced, errors } = getVariableValues(schema, root.operation.variableDefinitions ?? [], variables);
      if (coerced === undefined) throw errors[0];
      const info = { ...root.info, variableValues: coerced };
      const given = getArgumentValues(root.definition, root.node, coerced);
      return { data: { data: await root.resolve({}, given, { ...context, recordsAsText: true }, info) } };
    } catch (error) {
      return { error: causeOf(error) };
    }
  };
}

function rootFieldOf(schema: GraphQLSchema, document: string): RootField {
  const [operation] = parsedDocument(schema, document).definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error(`Not one operation: ${document}`);
  const [node] = operation.selectionSet.selections;
  const queries = schema.getQueryType();
  const definition = node?.kind === Kind.FIELD ? queries?.getFields()[node.name.value] : undefined;
  if (node?.kind !== Kind.FIELD || !queries || !definition?.resolve) throw new Error(`Not one field: ${document}`);
  return {
    operation,
    node,
    definition,
    resolve: definition.resolve,
    info: {
      fieldName: definition.name,
      fieldNodes: [node],
      returnType: definition.type,
      parentType: queries,
      path: { prev: undefined, key: node.alias?.value ?? node.name.value, typename: queries.name },
      schema,
      fragments: {},
      rootValue: {},
      operation,
    },
  };
}
