// Counts what an operation's arguments bring: the values of its variables, defaults included, and the entries of lists.
import { Kind, valueFromASTUntyped, type FieldNode, type OperationDefinitionNode, type ValueNode } from "graphql";

/** What each entry of a list adds to the cost: one is looked up or compared for every record. */
const ENTRY_COST = 5;

type Variables = Readonly<Record<string, unknown>>;

/** The values of the variables as the operation is executed with them. */
export function withDefaults({ variableDefinitions = [] }: OperationDefinitionNode, given: Variables): Variables {
  const defaults = variableDefinitions.flatMap(({ variable, defaultValue }) =>
    defaultValue === undefined ? [] : [[variable.name.value, valueFromASTUntyped(defaultValue)] as const],
  );
  return { ...Object.fromEntries(defaults), ...given };
}

/** Counts the entries of the lists in arguments; those of a variable once, however often it is used. */
export class ArgumentCost {
  readonly #variables: Variables;
  readonly #entries = new Map<string, number>();

  constructor(variables: Variables) {
    this.#variables = variables;
  }

  of({ arguments: given = [] }: FieldNode): number {
    return given.reduce((cost, { value }) => cost + ENTRY_COST * this.#entriesOf(value), 0);
  }

  #entriesOf(value: ValueNode): number {
    if (value.kind === Kind.VARIABLE) return this.#entriesOfVariable(value.name.value);
    if (value.kind === Kind.OBJECT) return sum(value.fields.map((field) => this.#entriesOf(field.value)));
    if (value.kind !== Kind.LIST) return 0;
    return value.values.length + sum(value.values.map((entry) => this.#entriesOf(entry)));
  }

  #entriesOfVariable(name: string): number {
    const known = this.#entries.get(name) ?? entriesWithin(this.#variables[name]);
    this.#entries.set(name, known);
    return known;
  }
}

function entriesWithin(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return (Array.isArray(value) ? value.length : 0) + sum(Object.values(value).map(entriesWithin));
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
