// Describes what a document selects: its aliases, its types with their nullability, and the schema's own descriptions.
import {
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type SelectionSetNode,
} from "graphql";
import { orNull, recordOf, refTo, type JsonSchema } from "./jsonSchema.js";

const SCALARS: ReadonlyMap<string, JsonSchema> = new Map<string, JsonSchema>([
  ["Int", { type: "integer", format: "int32" }],
  ["SafeInt", { type: "integer", format: "int64" }],
  ["Float", { type: "number" }],
  ["String", { type: "string" }],
  ["Boolean", { type: "boolean" }],
  ["DateTime", { type: "string", format: "date-time" }],
]);

/** A field that a document selects. */
export interface Selected {
  /** Its alias, or its own name: as REST v1 calls it. */
  readonly name: string;
  readonly field: GraphQLField<unknown, unknown>;
  readonly selections: SelectionSetNode | undefined;
}

/** @throws Error when the selection names an unknown field, or has a fragment */
export function selectedFields(type: GraphQLObjectType, { selections }: SelectionSetNode): readonly Selected[] {
  return selections.map((node) => {
    if (node.kind !== Kind.FIELD)
      throw new Error(`A REST document selects ${type.name} by a fragment, not field by field`);
    const field = type.getFields()[node.name.value];
    if (field === undefined)
      throw new Error(`A REST document selects ${type.name}.${node.name.value}, which does not exist`);
    return { name: node.alias?.value ?? node.name.value, field, selections: node.selectionSet };
  });
}

/** The schemas of all records; the first selection of a type takes its name, and equal ones refer to it. */
export class Records {
  readonly #named = new Map<string, JsonSchema>();

  /** All named records. */
  get schemas(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.#named].toSorted(([left], [right]) => (left < right ? -1 : 1)));
  }

  /** A selected field, with its description. */
  ofField({ field, selections }: Selected): JsonSchema {
    const schema = this.of(field.type, selections);
    return field.description ? { description: field.description, ...schema } : schema;
  }

  /** What a value of the type looks like. */
  of(type: GraphQLOutputType, selections: SelectionSetNode | undefined): JsonSchema {
    const inner = getNullableType(type);
    const schema = isListType(inner)
      ? { type: "array", items: this.of(inner.ofType, selections) }
      : this.#ofNamed(getNamedType(inner), selections);
    return isNonNullType(type) ? schema : orNull(schema);
  }

  /** Gives a record the name of a type; where the name stands for another selection already, the record stays unnamed. */
  name(name: string, record: JsonSchema): JsonSchema {
    const known = this.#named.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(record)) return record;
    this.#named.set(name, record);
    return refTo(name);
  }

  #ofNamed(type: GraphQLNamedType, selections: SelectionSetNode | undefined): JsonSchema {
    if (isEnumType(type)) return { type: "string", enum: type.getValues().map(({ value }) => value) };
    if (isObjectType(type) && selections !== undefined) return this.#ofObject(type, selections);
    const scalar = SCALARS.get(type.name);
    if (scalar === undefined) throw new Error(`OpenAPI does not know the type ${type.name}`);
    return scalar;
  }

  #ofObject(type: GraphQLObjectType, selections: SelectionSetNode): JsonSchema {
    const fields = selectedFields(type, selections);
    const properties = Object.fromEntries(fields.map((selected) => [selected.name, this.ofField(selected)]));
    return this.name(type.name, recordOf(properties, type.description));
  }
}
