// Walks the whole schema: every list that callers can send is bounded, wherever it stands, so that none can be forgotten.
import assert from "node:assert/strict";
import {
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
} from "graphql";
import { buildDroverSchema } from "../../resolvers/buildSchema.js";
import { MOST_ENTRIES } from "../../schema/boundedLists.js";
import { DroverError } from "../../src/errors/errors.js";
import { startExecution, type Execution } from "../resolvers/execute.js";

/** A list somewhere in the arguments of a root field. */
interface ListInput {
  readonly operation: "query" | "mutation" | "subscription";
  readonly field: GraphQLField<unknown, unknown>;
  /** Names from the argument down to the list. */
  readonly path: readonly string[];
  readonly isOfLeaves: boolean;
}

type Input = GraphQLArgument | GraphQLInputField;

function listsIn(
  { name, type: given }: Input,
  around: readonly string[] = [],
): Pick<ListInput, "path" | "isOfLeaves">[] {
  const type = getNullableType(given);
  const path = [...around, name];
  if (isListType(type)) {
    const entry = getNullableType(type.ofType);
    assert.ok(!isListType(entry), `${path.join(".")} is a list of lists: this test has to learn of them`);
    return [{ path, isOfLeaves: !isInputObjectType(entry) }];
  }
  return isInputObjectType(type) ? Object.values(type.getFields()).flatMap((field) => listsIn(field, path)) : [];
}

const schema = buildDroverSchema();

const listInputs: readonly ListInput[] = (["query", "mutation", "subscription"] as const).flatMap((operation) =>
  Object.values(rootOf(operation).getFields()).flatMap((field) =>
    field.args.flatMap((argument) => listsIn(argument).map((list) => ({ operation, field, ...list }))),
  ),
);

function rootOf(operation: ListInput["operation"]): GraphQLObjectType {
  const roots = { query: "Query", mutation: "Mutation", subscription: "Subscription" };
  const root = schema.getType(roots[operation]);
  assert.ok(root !== undefined && "getFields" in root && "getInterfaces" in root && "isTypeOf" in root);
  return root;
}

const SAMPLES: Readonly<Record<string, (number: number) => unknown>> = {
  Int: (number) => number,
  Float: (number) => number,
  Boolean: () => true,
  DateTimeISO: () => "2030-01-01T00:00:00Z",
};

/** Of what must be there before a list is looked at. */
const EXISTING: Readonly<Record<string, unknown>> = { hostId: 1, vmid: 101 };

/** A value of the type, another for each number; of input types only what they need. */
function sample(given: GraphQLInputType, number = 1): unknown {
  const type = getNullableType(given);
  if (isListType(type)) return [sample(type.ofType, number)];
  if (isEnumType(type)) return type.getValues()[0]?.name;
  if (!isInputObjectType(type)) return (SAMPLES[type.name] ?? ((each: number) => `entry ${each}`))(number);
  const needed = Object.values(type.getFields()).filter(({ type: of }) => isNonNullType(of));
  return Object.fromEntries(needed.map((field) => [field.name, sample(field.type, number)]));
}

/** The value of an argument that holds such a list at the end of the path. */
function withList(
  given: GraphQLInputType,
  path: readonly string[],
  entries: (entry: GraphQLInputType) => unknown[],
): unknown {
  const type = getNullableType(given);
  if (isListType(type)) return entries(type.ofType);
  assert.ok(isInputObjectType(type));
  const [name = "", ...rest] = path;
  const field = type.getFields()[name];
  assert.ok(field);
  return { ...Object(sample(type)), [name]: withList(field.type, rest, entries) };
}

/** The operation that sends a list, and its variables. */
function operationOf({ operation, field, path }: ListInput, entries: (entry: GraphQLInputType) => unknown[]) {
  const [argument = "", ...rest] = path;
  const sent = field.args.filter(({ name, type }) => name === argument || isNonNullType(type));
  const head = sent.map(({ name, type }) => `$${name}: ${String(type)}`).join(", ");
  const selection = "getFields" in namedOf(field) ? " { __typename }" : "";
  return {
    document: `${operation} (${head}) { it: ${field.name}(${sent.map(({ name }) => `${name}: $${name}`).join(", ")})${selection} }`,
    variables: Object.fromEntries(
      sent.map(({ name, type }) => [
        name,
        name === argument ? withList(type, rest, entries) : (EXISTING[name] ?? sample(type)),
      ]),
    ),
  };
}

function namedOf({ type }: GraphQLField<unknown, unknown>): GraphQLNamedType {
  const named = schema.getType(String(type).replaceAll(/[[\]!]/g, ""));
  assert.ok(named);
  return named;
}

const many = (entry: GraphQLInputType): unknown[] =>
  Array.from({ length: MOST_ENTRIES + 1 }, (_, index) => sample(entry, index + 1));
const same = (entry: GraphQLInputType): unknown[] => Array.from({ length: 20 * MOST_ENTRIES }, () => sample(entry));

/** Inside the service some have their names of REST v1. */
const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

describe("the lists that callers send", () => {
  let execution: Execution;
  before(async () => {
    execution = await startExecution();
  });
  after(() => execution.services.close());

  it("are found by this test: filters, ids, maps and keys", () => {
    const found = new Set(listInputs.map(({ field, path }) => `${field.name}(${path.join(".")})`));
    for (const known of [
      "guests(filter.hostIds)",
      "hosts(ids)",
      "jobs(filter.ids)",
      "startMigration(input.storageMap)",
      "createGuest(input.sshKeys)",
      "startBalanceRun(suggestionIds)",
    ]) {
      assert.ok(found.has(known), known);
    }
    assert.ok(
      listInputs.every(({ operation }) => operation !== "subscription"),
      "a subscription needs a test of its own",
    );
  });

  for (const list of listInputs) {
    const name = list.path.at(-1) ?? "";
    it(`have at most ${MOST_ENTRIES} entries: ${list.field.name}(${list.path.join(".")})`, async () => {
      const { document, variables } = operationOf(list, many);
      const refused = await execution.refusal("manager", document, variables);
      assert.equal(refused.kind, "validation", refused.message);
      assert.ok(
        refused.fields.some(
          ({ field, message }) => [name, snake(name)].includes(field) && /^must .*at most/.test(message),
        ),
        refused.message,
      );
    });
  }

  for (const list of listInputs.filter(({ operation, isOfLeaves }) => operation === "query" && isOfLeaves)) {
    it(`count what a query names again and again once: ${list.field.name}(${list.path.join(".")})`, async () => {
      const { document, variables } = operationOf(list, same);
      await execution.data("manager", document, variables);
    });
  }

  it("are refused with all that are too long, each with its name", async () => {
    const ids = Array.from({ length: MOST_ENTRIES + 1 }, (_, index) => index);
    const refused = await execution.refusal(
      "manager",
      "query ($ids: [Int!]) { jobs(filter: { ids: $ids, hostIds: $ids }) { items { id } } }",
      { ids },
    );
    assert.ok(refused instanceof DroverError);
    assert.equal(refused.message, "ids: must have at most 1000 entries; hostIds: must have at most 1000 entries");
  });

  it("reach the database as one parameter, however many hosts they name, and name the first that is not there", async () => {
    const ids = [1, 2, ...Array.from({ length: 997 }, (_, index) => 5_000 - index)];
    const query = "query ($ids: [Int!]) { guests(filter: { hostIds: $ids }) { items { id } } }";
    assert.equal((await execution.refusal("manager", query, { ids })).message, "Host 5000 not found");
    assert.equal(
      (await execution.refusal("scoped", query, { ids })).message,
      "Host 2 is outside the scope of this token",
    );
  });
});
