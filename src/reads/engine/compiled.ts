// Keeps the SELECT lists of operations: each is compiled once for each kind of viewer.
import type { GraphQLResolveInfo } from "graphql";
import { viewerShape } from "../../access/visibility.js";
import type { Viewer } from "../../access/viewer.js";
import type { Context } from "../../context/context.js";
import { compileColumns } from "./compile.js";
import type { ReadModel } from "./model.js";
import { directiveShape, requestedFields, type RequestedField } from "./selection.js";
import { Parameters, type Slot } from "./statement.js";

/** The alias of the record that is read. */
export const ROW = "t0";

/** Which part of the request is about the record. */
export interface WantedRecord {
  /** Leads from the resolver's field to the record. */
  readonly path?: readonly string[];
  /** Fields that the caller needs whether or not they were requested. */
  readonly also?: readonly string[];
}

interface Compiled {
  readonly columns: string;
  readonly slots: readonly Slot[];
  /** Of a page: whether the number of all records was asked for. */
  readonly countsAll: boolean;
}

/** By operation, then by root field: a fragment's field may stand in several operations of a document. */
const compilations = new WeakMap<object, Map<string, Compiled>>();
const MOST_SHAPES = 64;

/** The SELECT list of this field in this operation, compiled once for each kind of viewer. */
export function compiled(
  model: ReadModel,
  info: GraphQLResolveInfo,
  { path = [], also = [] }: WantedRecord,
  { viewer, recordsAsText }: Context,
): Omit<Compiled, "slots"> & { readonly parameters: Parameters } {
  const known = compilations.get(info.operation) ?? new Map<string, Compiled>();
  compilations.set(info.operation, known);
  const shape = `${info.path.key}|${path.join(".")}|${viewerShape(viewer)}|${directiveShape(info)}`;
  const { slots, ...rest } =
    known.get(shape) ?? compile(model, info, { path, also, viewer, byAlias: recordsAsText === true });
  // An operation with many directive variables has very many shapes: the rest is compiled each time.
  if (known.size < MOST_SHAPES) known.set(shape, { ...rest, slots });
  return { ...rest, parameters: new Parameters(slots) };
}

const leaves = (info: GraphQLResolveInfo, names: readonly string[]): RequestedField[] =>
  info.fieldNodes.slice(0, 1).flatMap((node) => names.map((name) => ({ name, responseKey: name, node, fields: [] })));

interface Compilation extends Required<WantedRecord> {
  readonly viewer: Viewer;
  readonly byAlias: boolean;
}

function compile(model: ReadModel, info: GraphQLResolveInfo, { path, also, viewer, byAlias }: Compilation): Compiled {
  const parameters = new Parameters();
  const fields = [...requestedFields(info, path), ...leaves(info, also)];
  const columns = compileColumns(model, fields, { row: ROW, viewer, parameters, byAlias });
  return { columns, slots: parameters.slots, countsAll: asksForTotal(info) };
}

function asksForTotal(info: GraphQLResolveInfo): boolean {
  return requestedFields(info, ["meta"]).some(({ name }) => name === "total");
}
