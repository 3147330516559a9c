// Describes the payload of a row: what its document selects, reshaped as the row reshapes its answers.
import {
  getNullableType,
  isNonNullType,
  isObjectType,
  Kind,
  parse,
  type GraphQLObjectType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from "graphql";
import type { Route } from "../route.js";
import { orNull, recordOf, type JsonSchema } from "./jsonSchema.js";
import { selectedFields, type Records, type Selected } from "./records.js";

/** What an answer carries. */
export interface Payload {
  readonly data: JsonSchema;
  /** Present on lists. */
  readonly meta?: JsonSchema;
}

/** The one operation of a document. @throws Error when it is another kind of document */
export function operationOf(document: string): OperationDefinitionNode {
  const [operation] = parse(document).definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error(`Not an operation: ${document}`);
  return operation;
}

/** @throws Error when the row's document does not fit the schema */
export function payloadOf(schema: GraphQLSchema, route: Route, records: Records): Payload {
  const operation = operationOf(route.document);
  const root = schema.getRootType(operation.operation);
  if (!root) throw new Error(`The schema has no ${operation.operation}`);
  const selected = selectedFields(root, operation.selectionSet);
  const data = selected.find(({ name }) => name === "data");
  if (data === undefined) return { data: recordOf(fieldSchemas(selected, records)) };
  return (
    pageOf(data, records) ?? { data: route.payload ? reshaped(data, route, records) : recordSchema(data, records) }
  );
}

/** The record itself: the row describes the root field. */
const recordSchema = ({ field, selections }: Selected, records: Records): JsonSchema =>
  records.of(field.type, selections);

function fieldSchemas(selected: readonly Selected[], records: Records): Record<string, JsonSchema> {
  return Object.fromEntries(selected.map((each) => [each.name, records.ofField(each)]));
}

function pageOf(data: Selected, records: Records): Payload | null {
  const parts = new Map(fieldsOf(data)?.map((selected) => [selected.name, selected]));
  const [items, meta] = [parts.get("items"), parts.get("meta")];
  if (items === undefined || meta === undefined) return null;
  return { data: recordSchema(items, records), meta: recordSchema(meta, records) };
}

const objectType = ({ field }: Selected): GraphQLObjectType | null => {
  const type = getNullableType(field.type);
  return isObjectType(type) ? type : null;
};

function fieldsOf(selected: Selected): readonly Selected[] | null {
  const type = objectType(selected);
  return type === null || selected.selections === undefined ? null : selectedFields(type, selected.selections);
}

/** Stands in the payload where an answer has a value. */
class Described {
  constructor(readonly schema: JsonSchema) {}
}

/** A reshaping moves and renames values without looking at them: it does the same to their descriptions. */
function reshaped(data: Selected, { payload }: Route, records: Records): JsonSchema {
  const type = objectType(data);
  if (type === null || payload === undefined) throw new Error(`${data.name} is no record that can be reshaped`);
  const schema = { ...schemaOf(payload(described(data, records))), description: type.description ?? "" };
  const record = records.name(type.name, schema);
  return isNonNullType(data.field.type) ? record : orNull(record);
}

function described(selected: Selected, records: Records): unknown {
  const fields = isNonNullType(selected.field.type) || selected.name === "data" ? fieldsOf(selected) : null;
  if (fields === null) return new Described(records.ofField(selected));
  return Object.fromEntries(fields.map((field) => [field.name, described(field, records)]));
}

function schemaOf(value: unknown): JsonSchema {
  if (value instanceof Described) return value.schema;
  if (typeof value !== "object" || value === null) throw new Error("A reshaping made a value of its own");
  return recordOf(Object.fromEntries(Object.entries(value).map(([name, each]) => [name, schemaOf(each)])));
}
