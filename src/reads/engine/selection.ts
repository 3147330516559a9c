// Reads from a GraphQL operation which fields a client asked for, with fragments merged and @skip/@include applied.
import {
  getDirectiveValues,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  Kind,
  type FieldNode,
  type GraphQLResolveInfo,
  type SelectionNode,
  type SelectionSetNode,
} from "graphql";

/** One requested field of a record. */
export interface RequestedField {
  readonly name: string;
  readonly responseKey: string;
  /** The field as written (of several that merge, the first): its arguments. */
  readonly node: FieldNode;
  /** Empty for a leaf. */
  readonly fields: readonly RequestedField[];
}

type Operation = Pick<GraphQLResolveInfo, "fragments" | "variableValues">;

/** The fields below the resolver's own field. `path` goes further down first: `["items"]` for what a page's rows need. */
export function requestedFields(info: GraphQLResolveInfo, path: readonly string[] = []): readonly RequestedField[] {
  let fields = merge(
    info.fieldNodes.flatMap((node) => collect(node.selectionSet, info)),
    info,
  );
  for (const name of path) fields = fields.filter((field) => field.name === name).flatMap((field) => field.fields);
  return fields;
}

/** What of an operation changes the selection although the document is the same: the variables of its directives. */
export function directiveShape(info: GraphQLResolveInfo): string {
  const names = directiveVariables(info);
  return names.map((name) => String(info.variableValues[name])).join(",");
}

const variablesByDocument = new WeakMap<object, readonly string[]>();

function directiveVariables(info: GraphQLResolveInfo): readonly string[] {
  const known = variablesByDocument.get(info.operation);
  if (known !== undefined) return known;
  const names = new Set<string>();
  const visit = (set: SelectionSetNode | undefined): void => {
    for (const selection of set?.selections ?? []) {
      for (const directive of selection.directives ?? []) {
        for (const { value } of directive.arguments ?? [])
          if (value.kind === Kind.VARIABLE) names.add(value.name.value);
      }
      if (selection.kind !== Kind.FRAGMENT_SPREAD) visit(selection.selectionSet);
    }
  };
  visit(info.operation.selectionSet);
  for (const fragment of Object.values(info.fragments)) visit(fragment.selectionSet);
  const sorted = [...names].toSorted((a, b) => a.localeCompare(b));
  variablesByDocument.set(info.operation, sorted);
  return sorted;
}

function collect(set: SelectionSetNode | undefined, operation: Operation): FieldNode[] {
  return (set?.selections ?? []).flatMap((selection) => {
    if (!included(selection, operation)) return [];
    if (selection.kind === Kind.FIELD) return [selection];
    const inner = selection.kind === Kind.FRAGMENT_SPREAD ? operation.fragments[selection.name.value] : selection;
    return collect(inner?.selectionSet, operation);
  });
}

function included(selection: SelectionNode, { variableValues }: Operation): boolean {
  if (selection.directives === undefined || selection.directives.length === 0) return true;
  const skip = getDirectiveValues(GraphQLSkipDirective, selection, variableValues);
  const include = getDirectiveValues(GraphQLIncludeDirective, selection, variableValues);
  return skip?.["if"] !== true && include?.["if"] !== false;
}

function merge(nodes: readonly FieldNode[], operation: Operation): readonly RequestedField[] {
  const groups = Map.groupBy(nodes, (node) => node.alias?.value ?? node.name.value);
  return [...groups].flatMap(([responseKey, [first, ...others]]) => {
    if (first === undefined || first.name.value === "__typename") return [];
    const below = [first, ...others].flatMap((node) => collect(node.selectionSet, operation));
    return [{ name: first.name.value, responseKey, node: first, fields: merge(below, operation) }];
  });
}
