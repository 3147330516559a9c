// The bounds of operations: what counts how much, and what is let through.
import assert from "node:assert/strict";
import { getIntrospectionQuery, GraphQLError, parse, validate } from "graphql";
import { DEEPEST, MOST_COST, estimate, refuseExcessive, ROOT_FIELD_COST } from "../../graphql/operationCost.js";
import { buildDroverSchema } from "../../resolvers/buildSchema.js";

const schema = buildDroverSchema();

function asked(source: string, variables: Record<string, unknown> = {}) {
  const document = parse(source);
  assert.deepEqual(validate(schema, document), []);
  return { schema, document, operationName: null, variables };
}

const estimated: readonly [string, number, number, Record<string, unknown>?][] = [
  ["{ nextVmid(hostId: 1) }", 1, 1],
  ["{ host(id: 1) { id name } }", 3, 2],
  ["{ host(id: 1) { id again: id } }", 3, 2],
  ["{ hosts { items { id } } }", 1 + 50 * 2, 3],
  ["{ hosts(perPage: 10) { items { id } meta { total } } }", 1 + 10 * 4, 3],
  ["{ hosts(perPage: 10000) { items { id } } }", 1 + 200 * 2, 3],
  ["{ hosts(perPage: 0) { items { id } } }", 1 + 2, 3],
  ["query ($n: Int) { hosts(perPage: $n) { items { id } } }", 1 + 7 * 2, 3, { n: 7 }],
  ["query ($n: Int) { hosts(perPage: $n) { items { id } } }", 1 + 50 * 2, 3],
  ["query ($n: Int = 200) { hosts(perPage: $n) { items { id } } }", 1 + 200 * 2, 3],
  ["query ($n: Int = 200) { hosts(perPage: $n) { items { id } } }", 1 + 7 * 2, 3, { n: 7 }],
  ["query ($n: Int = 200) { hosts(perPage: $n) { items { id } } }", 1 + 50 * 2, 3, { n: null }],
  ["{ guests(perPage: 1, filter: { hostIds: [1, 1, 1] }) { meta { total } } }", 1 + 3 * 5 + 2, 3],
  [
    "query ($f: GuestFilter) { a: guests(perPage: 1, filter: $f) { meta { total } } }",
    1 + 4 * 5 + 2,
    3,
    { f: { hostIds: [1, 1, 1, 1] } },
  ],
  [
    "query ($ids: [Int!] = [1, 2]) { guests(perPage: 1, filter: { hostIds: $ids }) { meta { total } } }",
    1 + 2 * 5 + 2,
    3,
  ],
  ["{ host(id: 1) { nodes { name } } }", 1 + 1 + 5, 3],
  ['{ node(hostId: 1, name: "a") { samples { at } } }', 1 + 1 + 60, 3],
  ['{ node(hostId: 1, name: "a") { samples(minutes: 1440) { at } } }', 1 + 1 + 1440, 3],
  ["{ apiTokens { id } }", 1 + 5, 2],
  ["{ ...F } fragment F on Query { host(id: 1) { ...G ...G } } fragment G on Host { id }", 3, 2],
  ["{ host(id: 1) { __typename ... on Host { id } } }", 3, 2],
  ["{ hosts { items { a: __typename b: __typename } } }", 1 + 50 * 3, 2],
];

describe("graphql/operationCost", () => {
  for (const [source, cost, depth, variables] of estimated) {
    it(`estimates ${source} ${JSON.stringify(variables ?? {})} at ${cost}, ${depth} deep`, () => {
      assert.deepEqual(estimate(asked(source, variables)), { cost: cost + ROOT_FIELD_COST, depth });
    });
  }

  it("counts every root field as a statement of its own, also in fragments", () => {
    const source =
      "{ a: nextVmid(hostId: 1) ...F ... on Query { c: nextVmid(hostId: 1) } } fragment F on Query { b: nextVmid(hostId: 1) }";
    assert.equal(estimate(asked(source)).cost, 3 * (ROOT_FIELD_COST + 1));
  });

  it("lets tools read the whole schema, but not ten times at once", () => {
    const whole = getIntrospectionQuery({
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      oneOf: true,
    });
    refuseExcessive(asked(whole));
    const again = Array.from({ length: 9 }, (_, n) => `a${n}: __schema { types { ...FullType } }`);
    const tenfold = whole.replace("__schema {", `${again.join(" ")} __schema {`);
    assert.throws(() => refuseExcessive(asked(tenfold)), /costs/);
  });

  it("estimates fragments that double themselves without walking them again and again", () => {
    const doublings = Array.from({ length: 40 }, (_, n) => `fragment F${n} on Host { ...F${n + 1} ...F${n + 1} }`);
    const source = `{ host(id: 1) { ...F0 } } ${doublings.join(" ")} fragment F40 on Host { id }`;
    assert.equal(
      estimate({ schema, document: parse(source), operationName: null, variables: {} }).cost,
      2 ** 40 + 1 + ROOT_FIELD_COST,
    );
  });

  it("counts the root fields of a fragment once, and fragments that double themselves in a moment", () => {
    const doublings = Array.from({ length: 40 }, (_, n) => `fragment F${n} on Query { ...F${n + 1} ...F${n + 1} }`);
    const source = `{ ...F0 } ${doublings.join(" ")} fragment F40 on Query { nextVmid(hostId: 1) }`;
    assert.equal(
      estimate({ schema, document: parse(source), operationName: null, variables: {} }).cost,
      2 ** 40 + ROOT_FIELD_COST,
    );
  });

  const panel = `{
    hosts(perPage: 50) { meta { total } items { id name hostname version maintenance lastSyncAt lastSyncError guestCount nodes {
      name status version cpuUsage cpuAverage30m memoryMb memoryUsedMb guestCount hot agent { version current healthy lastSeenAt }
      storages { name type content active totalBytes usedBytes freeBytes } networks { name type active cidr } } } }
    guests(perPage: 200) { meta { total } items { id node type vmid name status tags cores memoryMb diskGb cpuUsage memoryUsedMb ipAddresses
      host { name nodes { name } } owner { username email } plan { name } portForwards { publicPort guestPort } activeJob { kind status progress } } }
  }`;
  it("lets 50 hosts with their nodes and 200 guests with everything around them through", () => {
    refuseExcessive(asked(panel));
  });

  const refused: readonly [string, string, string][] = [
    [
      "what is too costly",
      "{ guests(perPage: 200) { items { host { nodes { samples(minutes: 1440) { at } } } } } }",
      "TOO_COSTLY",
    ],
    [
      "more root fields than statements are allowed",
      `{ ${Array.from({ length: MOST_COST / ROOT_FIELD_COST }, (_, n) => `f${n}: nextVmid(hostId: 1)`).join(" ")} }`,
      "TOO_COSTLY",
    ],
    ["what is too deep", `{ host(id: 1) ${"{ nodes { host ".repeat(6)} { id } ${"} }".repeat(6)} }`, "TOO_DEEP"],
  ];
  for (const [what, source, reason] of refused) {
    it(`refuses ${what}`, () => {
      assert.throws(
        () => refuseExcessive(asked(source)),
        (error) =>
          error instanceof GraphQLError &&
          error.extensions["reason"] === reason &&
          error.extensions["code"] === "VALIDATION_FAILED",
      );
    });
  }

  it("lets what is just deep enough through", () => {
    const levels = DEEPEST - 2;
    refuseExcessive(
      asked(`{ host(id: 1) ${"{ nodes { host ".repeat(levels / 2)} { id } ${"} }".repeat(levels / 2)} }`),
    );
  });
});
