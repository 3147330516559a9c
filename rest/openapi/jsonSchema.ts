// The part of JSON Schema 2020-12 that describes REST v1's values.

/** A schema; what a keyword means is JSON Schema's. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly propertyNames?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
}

const RECORDS = "#/components/schemas/";

/** A schema that refers to a named one. */
export const refTo = (name: string): JsonSchema => ({ $ref: RECORDS + name });

/** An object that has all of these properties, and no others. */
export function recordOf(properties: Readonly<Record<string, JsonSchema>>, description?: string | null): JsonSchema {
  return {
    type: "object",
    ...(description ? { description } : {}),
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

/** The same value, or null. */
export function orNull({ description, ...schema }: JsonSchema): JsonSchema {
  const described = description === undefined ? {} : { description };
  if (typeof schema.type !== "string") return { ...described, anyOf: [schema, { type: "null" }] };
  const values = schema.enum === undefined ? {} : { enum: [...schema.enum, null] };
  return { ...described, ...schema, ...values, type: [schema.type, "null"] };
}
