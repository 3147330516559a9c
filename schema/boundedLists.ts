// Bounds every list that callers may send: no field of the schema is resolved with a longer one, whatever it does with it.
import {
  defaultFieldResolver,
  getNullableType,
  isInputObjectType,
  isLeafType,
  isListType,
  isObjectType,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLInputType,
  type GraphQLSchema,
} from "graphql";
import type { Problem } from "../src/core/problem.js";
import { validationError } from "../src/errors/errors.js";

/** Most entries of a list that a request carries. */
export const MOST_ENTRIES = 1_000;

/** Their actions refuse far fewer of them, together with whatever else is wrong with the request. */
const BOUNDED_LOWER: ReadonlySet<string> = new Set(["sshKeys"]);

/** A part of a field's input: an argument, a field of an input type, or an entry of a list. */
interface Part {
  readonly name: string;
  readonly type: GraphQLInputType;
}

interface Reading {
  /** A query asks for a set: what is named twice is read once, and counts once. */
  readonly isQuery: boolean;
  readonly problems: Problem[];
}

/** Wraps the resolvers of all fields that take lists. They throw DroverError `validation`, which names each list that is too long. */
export function boundLists(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) boundField(field, type === schema.getQueryType());
  }
}

function boundField(field: GraphQLField<unknown, unknown>, isQuery: boolean): void {
  const lists = field.args.filter(({ type }) => holdsList(type));
  if (lists.length === 0) return;
  const bounded =
    (resolve: GraphQLFieldResolver<unknown, unknown>): GraphQLFieldResolver<unknown, unknown> =>
    (source, args, context, info) =>
      resolve(source, boundParts(lists, args, isQuery), context, info);
  field.resolve = bounded(field.resolve ?? defaultFieldResolver);
  if (field.subscribe !== undefined) field.subscribe = bounded(field.subscribe);
}

/** Whether a list is anywhere in the type. */
function holdsList(given: GraphQLInputType, around: readonly GraphQLInputType[] = []): boolean {
  const type = getNullableType(given);
  if (isListType(type)) return true;
  if (!isInputObjectType(type) || around.includes(type)) return false;
  return Object.values(type.getFields()).some((field) => holdsList(field.type, [...around, type]));
}

/** @throws DroverError validation */
function boundParts(lists: readonly Part[], args: object, isQuery: boolean): object {
  const reading: Reading = { isQuery, problems: [] };
  const bounded = withParts(lists, args, reading);
  if (reading.problems.length > 0) throw validationError(reading.problems);
  return bounded;
}

const withParts = (parts: readonly Part[], values: object, reading: Reading): object => {
  const given = new Map<string, unknown>(Object.entries(values));
  const read = parts.filter(({ name }) => given.has(name));
  return {
    ...values,
    ...Object.fromEntries(read.map((part) => [part.name, boundValue(part, given.get(part.name), reading)])),
  };
};

function boundValue({ name, type: given }: Part, value: unknown, reading: Reading): unknown {
  const type = getNullableType(given);
  if (Array.isArray(value) && isListType(type)) return boundList({ name, type: type.ofType }, value, reading);
  if (typeof value !== "object" || value === null || !isInputObjectType(type)) return value;
  return withParts(
    Object.values(type.getFields()).filter((field) => holdsList(field.type)),
    value,
    reading,
  );
}

/** @param entry what each entry is, under the list's name */
function boundList(entry: Part, values: readonly unknown[], reading: Reading): readonly unknown[] {
  const isOfLeaves = isLeafType(getNullableType(entry.type));
  const entries = reading.isQuery && isOfLeaves ? [...new Set(values)] : values;
  if (entries.length > MOST_ENTRIES && !BOUNDED_LOWER.has(entry.name)) {
    reading.problems.push({ field: entry.name, message: `must have at most ${MOST_ENTRIES} entries` });
    return [];
  }
  return isOfLeaves ? entries : entries.map((value) => boundValue(entry, value, reading));
}
