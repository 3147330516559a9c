// Estimates the depth and the cost of an operation before it is executed.
import {
  getNamedType,
  getOperationAST,
  GraphQLError,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type SelectionSetNode,
} from "graphql";
import { DEFAULT_PER_PAGE, MAXIMUM_PER_PAGE } from "../src/core/paging.js";
import { ArgumentCost, withDefaults } from "./argumentCost.js";
import { refuseDeepVariables } from "./nesting.js";

/** Deepest nesting of fields; the root field is at depth 1. */
export const DEEPEST = 12;
/** Most values that an operation may bring by its own estimate, and what a root field, a statement of its own, adds to it. */
export const MOST_COST = 200_000;
export const ROOT_FIELD_COST = 1_000;
/** How many records a list without a page is taken to have: the storages of a node, the nodes of a host. */
const LIST_LENGTH = 5;
/** Introspection's lists are longer: a whole one costs about a fifth of the limit, as many times as it is asked for. */
const INTROSPECTION_FACTOR = 5;
/** What every query can be asked beside its own fields. */
const INTROSPECTION: ReadonlyMap<string, GraphQLField<unknown, unknown>> = new Map(
  [SchemaMetaFieldDef, TypeMetaFieldDef].map((field) => [field.name, field]),
);

/** An operation that is about to be executed. */
interface Operation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  /** Null: the only one of the document. */
  readonly operationName: string | null;
  readonly variables: Readonly<Record<string, unknown>>;
}

interface OperationCost {
  readonly cost: number;
  readonly depth: number;
}

const NOTHING: OperationCost = { cost: 0, depth: 0 };
/** `__typename` alone is no field of its type in a valid document: a value like others, wherever it stands. */
const TYPE_NAME: OperationCost = { cost: 1, depth: 0 };

/** @throws GraphQLError with the code `VALIDATION_FAILED` when the operation or its variables are too deep, or it is too costly */
export function refuseExcessive(asked: Operation): void {
  refuseDeepVariables(asked.variables);
  const { cost, depth } = estimate(asked);
  if (depth > DEEPEST)
    throw tooMuch(`The operation is nested ${depth} deep, at most ${DEEPEST} is allowed`, "TOO_DEEP");
  if (cost > MOST_COST) {
    throw tooMuch(
      `The operation costs ${cost}, at most ${MOST_COST} is allowed: ask for smaller pages or fewer fields`,
      "TOO_COSTLY",
    );
  }
}

const tooMuch = (message: string, reason: string): GraphQLError =>
  new GraphQLError(message, { extensions: { code: "VALIDATION_FAILED", reason } });

/** One for each value, times the length of the lists around it, and what the lists in arguments add. The depth of introspection is bounded by graphql-js. */
export function estimate(asked: Operation): OperationCost {
  const operation = getOperationAST(asked.document, asked.operationName);
  const root = operation && asked.schema.getRootType(operation.operation);
  if (!root) return NOTHING;
  const variables = withDefaults(operation, asked.variables);
  return new CostEstimator({ ...asked, variables }).ofRoot(operation.selectionSet, root);
}

class CostEstimator {
  readonly #asked: Operation;
  readonly #arguments: ArgumentCost;
  readonly #selections = new Map<string, SelectionSetNode>();
  /** A fragment that is spread again and again is estimated once per type. */
  readonly #fragments = new Map<string, OperationCost>();

  constructor(asked: Operation) {
    this.#asked = asked;
    this.#arguments = new ArgumentCost(asked.variables);
    for (const definition of asked.document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) {
        this.#selections.set(definition.name.value, definition.selectionSet);
      }
    }
  }

  ofRoot(set: SelectionSetNode, root: GraphQLObjectType): OperationCost {
    const { cost, depth } = this.#ofSelection(set, root);
    return { cost: cost + ROOT_FIELD_COST * this.#rootFields(set), depth };
  }

  /** As in the execution a fragment brings its fields once, however often it is spread. */
  #rootFields(set: SelectionSetNode | undefined, spread = new Set<string>()): number {
    let count = 0;
    for (const selection of set?.selections ?? []) {
      if (selection.kind === Kind.FIELD) count += isIntrospection(selection) ? 0 : 1;
      else if (selection.kind === Kind.INLINE_FRAGMENT) count += this.#rootFields(selection.selectionSet, spread);
      else if (!spread.has(selection.name.value)) {
        spread.add(selection.name.value);
        count += this.#rootFields(this.#selections.get(selection.name.value), spread);
      }
    }
    return count;
  }

  #ofSelection(set: SelectionSetNode, type: GraphQLObjectType): OperationCost {
    let sum = NOTHING;
    for (const selection of set.selections) {
      let part: OperationCost;
      if (selection.kind === Kind.FIELD) part = this.#ofField(selection, type);
      else if (selection.kind === Kind.INLINE_FRAGMENT) part = this.#ofSelection(selection.selectionSet, type);
      else part = this.#ofFragment(selection.name.value, type);
      sum = { cost: sum.cost + part.cost, depth: Math.max(sum.depth, part.depth) };
    }
    return sum;
  }

  #ofFragment(name: string, type: GraphQLObjectType): OperationCost {
    const key = `${name} on ${type.name}`;
    const set = this.#selections.get(name);
    const known = this.#fragments.get(key) ?? (set ? this.#ofSelection(set, type) : NOTHING);
    this.#fragments.set(key, known);
    return known;
  }

  #ofField(node: FieldNode, parent: GraphQLObjectType): OperationCost {
    const introspected = INTROSPECTION.get(node.name.value);
    if (introspected !== undefined) return this.#ofIntrospection(introspected, node);
    const field = parent.getFields()[node.name.value];
    if (field === undefined) return TYPE_NAME;
    const type = getNamedType(field.type);
    const own = 1 + this.#arguments.of(node);
    if (node.selectionSet === undefined || !isObjectType(type)) return { cost: own, depth: 1 };
    const below = this.#ofSelection(node.selectionSet, type);
    return { cost: own + this.#length(field, node) * below.cost, depth: below.depth + 1 };
  }

  #ofIntrospection({ type: whole }: GraphQLField<unknown, unknown>, { selectionSet }: FieldNode): OperationCost {
    const type = getNamedType(whole);
    if (selectionSet === undefined || !isObjectType(type)) return NOTHING;
    return { cost: INTROSPECTION_FACTOR * this.#ofSelection(selectionSet, type).cost, depth: 0 };
  }

  #length(field: GraphQLField<unknown, unknown>, node: FieldNode): number {
    const perPage = field.args.find(({ name }) => name === "perPage");
    if (perPage !== undefined) return this.#integer(node, "perPage", DEFAULT_PER_PAGE, MAXIMUM_PER_PAGE);
    const minutes = field.args.find(({ name }) => name === "minutes");
    if (minutes !== undefined) return this.#integer(node, "minutes", Number(minutes.defaultValue), MOST_COST);
    return isList(field.type) && !isItems(node) ? LIST_LENGTH : 1;
  }

  #integer(node: FieldNode, name: string, fallback: number, most: number): number {
    const given = node.arguments?.find((argument) => argument.name.value === name)?.value;
    if (given === undefined || given.kind === Kind.NULL) return fallback;
    const value = given.kind === Kind.VARIABLE ? this.#asked.variables[given.name.value] : this.#literal(given);
    return typeof value === "number" ? Math.min(Math.max(Math.trunc(value), 1), most) : fallback;
  }

  #literal(node: { readonly kind: Kind; readonly value?: unknown }): number | undefined {
    return node.kind === Kind.INT ? Number(node.value) : undefined;
  }
}

const isIntrospection = (node: FieldNode): boolean => node.name.value.startsWith("__");

/** The records of a page: the field that has the page has counted them. */
const isItems = (node: FieldNode): boolean => node.name.value === "items";

const isList = (type: GraphQLOutputType): boolean => isListType(isNonNullType(type) ? type.ofType : type);
