// Every root field of the schema, asked by a person who must set up a second factor first: only what serves that is open to them.
import assert from "node:assert/strict";
import {
  getNamedType,
  graphql,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  parse,
  subscribe,
  type GraphQLArgument,
  type GraphQLError,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLObjectType,
} from "graphql";
import { buildDroverSchema } from "../../resolvers/buildSchema.js";
import { UserRole } from "../../src/core/enums.js";
import { DroverError } from "../../src/errors/errors.js";
import { contextOf, signedIn } from "../support/context.js";
import { plant } from "../support/rows.js";
import { createTestServices, type TestServices } from "../support/services.js";

const schema = buildDroverSchema();

/** What a person does with their own account, and what is open to everybody. */
const OPEN: readonly string[] = [
  "viewer",
  "sessions",
  "signIns",
  "login",
  "logout",
  "changePassword",
  "endSession",
  "endSessions",
  "beginTotp",
  "confirmTotp",
  "removeTotp",
];

describe("access: a person who must set up a second factor", () => {
  let services: TestServices;
  before(async () => {
    services = await createTestServices();
    await plant(services.pool, { user_account: [{ username: "boss", role: "admin" }] });
  });
  after(() => services.close());

  const boss = { role: UserRole.ADMIN, userId: 1, username: "boss", sessionId: 0 };
  const context = () => contextOf(services, signedIn({ ...boss, mustSetUp: true }));

  async function refusals(operation: string, source: string): Promise<readonly GraphQLError[]> {
    if (operation !== "subscription") return (await graphql({ schema, source, contextValue: context() })).errors ?? [];
    const answer = await subscribe({ schema, document: parse(source), contextValue: context() });
    assert.ok("errors" in answer, `${source} delivers`);
    return answer.errors ?? [];
  }

  for (const [operation, type] of [
    ["query", schema.getQueryType()],
    ["mutation", schema.getMutationType()],
    ["subscription", schema.getSubscriptionType()],
  ] as const) {
    it(`is refused each ${operation} but those of the own account`, async () => {
      const refused = fieldsOf(type).filter(({ name }) => !OPEN.includes(name));
      assert.ok(refused.length > 5);
      const answered: unknown[] = [];
      for (const field of refused) {
        const [first] = await refusals(operation, `${operation} { ${textOf(field)} }`);
        const cause = first?.originalError;
        const isRefused = cause instanceof DroverError && cause.reason === "SECOND_FACTOR_SETUP_REQUIRED";
        if (!isRefused) answered.push([field.name, first?.message]);
      }
      assert.deepEqual(answered, []);
    });
  }

  it("sees who they are, what is asked of them, and their sessions", async () => {
    const source = "{ viewer { mustSetUpSecondFactor permissions user { username secondFactors } } sessions { id } }";
    const { data, errors } = await graphql({ schema, source, contextValue: context() });
    assert.equal(errors, undefined);
    const user = { username: "boss", secondFactors: [] };
    assert.deepEqual(JSON.parse(JSON.stringify(data)), {
      viewer: { mustSetUpSecondFactor: true, permissions: [], user },
      sessions: [],
    });
  });
});

type Field = GraphQLField<unknown, unknown>;
type Given = GraphQLArgument | GraphQLInputField;

const fieldsOf = (type: GraphQLObjectType | null | undefined): Field[] => Object.values(type?.getFields() ?? {});

/** A field as it is asked, with what it must be given. */
function textOf({ name, type, args }: Field): string {
  const given = args.filter(isRequired).map((arg) => `${arg.name}: ${valueOf(arg.type)}`);
  return `${name}${given.length === 0 ? "" : `(${given.join(", ")})`}${isObjectType(getNamedType(type)) ? " { __typename }" : ""}`;
}

const isRequired = ({ type, defaultValue }: Given): boolean => isNonNullType(type) && defaultValue === undefined;

const SCALARS: Readonly<Record<string, string>> = {
  Boolean: "true",
  Int: "1",
  Float: "1",
  DateTime: `"2026-11-21T12:00:00Z"`,
};

/** Something that the type takes. */
function valueOf(type: GraphQLInputType): string {
  if (isNonNullType(type)) return valueOf(type.ofType);
  if (isListType(type)) return `[${valueOf(type.ofType)}]`;
  if (isEnumType(type)) return type.getValues()[0]?.name ?? "";
  if (!isInputObjectType(type)) return SCALARS[type.name] ?? `"x"`;
  const given = Object.values(type.getFields()).filter(isRequired);
  return `{ ${given.map((field) => `${field.name}: ${valueOf(field.type)}`).join(", ")} }`;
}
