// Turns the requested fields of a record into the SELECT list of one statement, nested records included.
import { hash } from "node:crypto";
import { print, valueFromASTUntyped, type FieldNode, type GraphQLResolveInfo } from "graphql";
import { MAXIMUM_PER_PAGE } from "../../core/paging.js";
import { permit } from "../../access/permit.js";
import type { Viewer } from "../../access/viewer.js";
import type { Field, Many, One, ReadModel } from "./model.js";
import type { RequestedField } from "./selection.js";
import type { Parameters, Slot } from "./statement.js";

interface Compilation {
  readonly viewer: Viewer;
  readonly parameters: Parameters;
  readonly byAlias: boolean;
  /** Makes aliases unique in the whole statement. */
  nextAlias: number;
}

/** For whom, and how, a SELECT list is compiled. */
interface ColumnOptions {
  readonly row: string;
  readonly viewer: Viewer;
  readonly parameters: Parameters;
  /** Whether records are keyed by the client's aliases and go to the client as they are; else by field name, for resolvers. */
  readonly byAlias: boolean;
}

/** A compiled SELECT list for rows of `row`. @throws Error when a field that goes out as it is cannot be read by SQL */
export function compileColumns(
  model: ReadModel,
  fields: readonly RequestedField[],
  { row, ...options }: ColumnOptions,
): string {
  return list(model, fields, row, { ...options, nextAlias: 1 });
}

function list(model: ReadModel, fields: readonly RequestedField[], row: string, compilation: Compilation): string {
  const entries = new Map<string, RequestedField[]>();
  for (const requested of fields) {
    const field = model.fields[requested.name];
    if (field === undefined && compilation.byAlias)
      throw new Error(`${model.type}.${requested.name} is not read by SQL`);
    if (field === undefined) continue;
    const key = compilation.byAlias ? requested.responseKey : resultKey(field, requested);
    entries.set(key, [...(entries.get(key) ?? []), requested]);
  }
  const columns = [...entries].map(([key, requested]) => `${column(model, requested, row, compilation)} as "${key}"`);
  return columns.length > 0 ? columns.join(", ") : "1 as present";
}

/** Rows are keyed by field name, so that aliases of one field share a column; with other arguments each has its own. */
function resultKey(field: Field, requested: RequestedField): string {
  const hasArguments = field.kind === "many" && field.arguments !== undefined;
  return hasArguments ? keyWithArguments(requested.node) : requested.name;
}

const keysWithArguments = new WeakMap<FieldNode, string>();
/** PostgreSQL cuts names of columns after 63 bytes. */
const DIGEST_LENGTH = 24;

/**
 * The key under which a row holds a field that has arguments: a digest of them as they are written. An alias would not tell them
 * apart: of a record that is itself asked for under two aliases, both may use it.
 */
function keyWithArguments(node: FieldNode): string {
  const known = keysWithArguments.get(node);
  if (known !== undefined) return known;
  const written = (node.arguments ?? []).map((argument) => print(argument)).join();
  const key = `${node.name.value}:${hash("sha256", written).slice(0, DIGEST_LENGTH)}`;
  keysWithArguments.set(node, key);
  return key;
}

/** The same, for the resolver of such a field. */
export function keyOfField({ fieldNodes: [node] }: GraphQLResolveInfo): string {
  if (node === undefined) throw new Error("A field is resolved that was not requested");
  return keyWithArguments(node);
}

function column(model: ReadModel, requested: readonly RequestedField[], row: string, compilation: Compilation): string {
  const [first] = requested;
  const field = first === undefined ? undefined : model.fields[first.name];
  if (first === undefined || field === undefined) throw new Error(`${model.type} has no such field`);
  if (field.kind === "column") return field.sql(row, compilation.parameters.bind, compilation.viewer);
  const below = requested.flatMap(({ fields }) => fields);
  return field.kind === "one"
    ? oneRecord(field, below, row, compilation)
    : manyRecords(field, { below, node: first.node }, row, compilation);
}

function oneRecord(field: One, below: readonly RequestedField[], row: string, compilation: Compilation): string {
  if (field.permission !== undefined) permit(compilation, field.permission);
  const child = `t${compilation.nextAlias++}`;
  const model = field.model();
  const conditions = [field.on(row, child), visibility(model, child, compilation)].filter((sql) => sql !== null);
  return `(select row_to_json(one) from (select ${list(model, below, child, compilation)} from ${model.from(child)} where ${conditions.join(" and ")} limit 1) one)`;
}

function manyRecords(
  field: Many,
  { below, node }: { below: readonly RequestedField[]; node: FieldNode },
  row: string,
  compilation: Compilation,
): string {
  const child = `t${compilation.nextAlias++}`;
  const model = field.model();
  const { bind } = compilation.parameters;
  const argument = (name: string): string => bind(argumentSlot(node, name, field.arguments?.[name]));
  const conditions = [field.on(row, child, argument, bind), visibility(model, child, compilation)].filter(
    (sql) => sql !== null,
  );
  return `(select coalesce(json_agg(many), '[]') from (select ${list(model, below, child, compilation)} from ${model.from(child)} where ${conditions.join(" and ")} order by ${field.orderBy(child)}${field.paged === true ? pageSql(argument) : ""}) many)`;
}

/** As pages of lists are; what is below 1 counts as 1, since a field within a record has no way to be refused. */
function pageSql(argument: (name: string) => string): string {
  const perPage = `least(greatest(${argument("perPage")}::bigint, 1), ${MAXIMUM_PER_PAGE})`;
  return ` limit ${perPage} offset (greatest(${argument("page")}::bigint, 1) - 1) * ${perPage}`;
}

function visibility(model: ReadModel, row: string, { viewer, parameters }: Compilation): string | null {
  return model.visible(row, viewer, parameters.bind);
}

function argumentSlot(node: FieldNode, name: string, fallback: unknown): Slot {
  const given = node.arguments?.find((argument) => argument.name.value === name)?.value;
  if (given === undefined) return () => fallback;
  return ({ variables }) => valueFromASTUntyped(given, variables) ?? fallback;
}
