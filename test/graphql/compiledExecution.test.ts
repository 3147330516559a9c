// A query that comes again is executed in a compiled form: its answers are those of the first time, refusals included.
import assert from "node:assert/strict";
import { ask, startGraphql, type GraphqlService } from "./support/service.js";
import { fillWorld, type World } from "./support/world.js";

/** The first is executed by graphql-js, the others are compiled. */
const TIMES = 3;

interface Case {
  readonly name: string;
  readonly query: string;
  readonly as?: keyof World;
  readonly variables?: Readonly<Record<string, unknown>>;
}

const CASES: readonly Case[] = [
  {
    name: "enums, moments, lists and nested records",
    query: `{ guests(perPage: 20, sort: { field: NAME, direction: DESC }) {
      items { id type status tags createdAt lastSeenAt ipAddresses host { kind nodes { name status } } plan { name } owner { role } }
      meta { page perPage total } } }`,
  },
  {
    name: "variables with and without values",
    query: `query ($filter: GuestFilter, $page: Int = 2, $perPage: Int) {
      guests(filter: $filter, page: $page, perPage: $perPage) { items { vmid } meta { page perPage total } } }`,
    variables: { filter: { hostIds: [1], status: "RUNNING", type: "QEMU" }, perPage: 5 },
  },
  {
    name: "fragments, aliases and type names under directives",
    query: `query ($more: Boolean!) {
      all: hosts { __typename items { ...known id @skip(if: $more) } }
      hosts(perPage: 1) { items { ... on Host { hostname @include(if: $more) __typename } } } }
      fragment known on Host { name port }`,
    variables: { more: true },
  },
  {
    name: "fragments, aliases and type names",
    query: `{ all: hosts { __typename items { ...known id } } hosts(perPage: 1) { items { ... on Host { hostname __typename } } } }
      fragment known on Host { name port }`,
  },
  {
    name: "fields in the order in which they are first included",
    query: `query ($more: Boolean!) { hosts { items { id @include(if: $more) name id } } }`,
    variables: { more: false },
  },
  {
    name: "fields of a record that is asked for twice, once in vain",
    query: `query ($more: Boolean!) { hosts { ...page } again: hosts { ...page } }
      fragment page on HostPage { meta { total } ... { meta @include(if: $more) { total ... { perPage } page } } meta { total } }`,
    variables: { more: false },
  },
  { name: "aliases that mean something to JavaScript", query: "{ host(id: 1) { __proto__: name constructor: id } }" },
  {
    name: "a variable that is null in the place of its default",
    query: "query ($id: Int = 1) { host(id: $id) { name } }",
    variables: { id: null },
  },
  {
    name: "a placement, which is no read of one table",
    query: `{ placementSuggest(input: { type: LXC, memoryMb: 512, cores: 1, diskGb: 5 }) {
      best { node } ranked { node score explanation } dropped { node code } } }`,
  },
  { name: "a record that is not there", query: "{ host(id: 999) { id } }" },
  { name: "a permission that is missing", query: "{ requestLog { items { id } } }", as: "plain" },
  { name: "a refusal beside a success", query: "{ a: host(id: 1) { id } b: host(id: 2) { id } }", as: "scoped" },
  {
    name: "a variable of the wrong type",
    query: "query ($id: Int!) { host(id: $id) { id } }",
    variables: { id: "one" },
  },
  { name: "a variable that is missing", query: "query ($id: Int!) { host(id: $id) { id } }", variables: {} },
  {
    name: "an enum value that there is not",
    query: "query ($status: JobStatus) { jobs(filter: { status: $status }) { items { id } } }",
    variables: { status: "LOST" },
  },
  { name: "introspection", query: `{ __type(name: "Guest") { fields { name } } }` },
];

describe("graphql/compiledExecution", () => {
  let service: GraphqlService;
  let world: World;

  before(async () => {
    service = await startGraphql();
    world = await fillWorld(service.services.pool);
  });
  after(() => service.close());

  for (const { name, query, variables, as = "manager" } of CASES) {
    it(`answers alike each time: ${name}`, async () => {
      const [first, ...others] = await answers(query, variables, as);
      assert.match(first?.text ?? "", /^\{"(?:data|errors)":/, "there is an answer");
      for (const other of others) assert.deepEqual(other, first);
    });
  }

  it("runs one document for several operations and viewers", async () => {
    const query = "query One { hosts { items { id } } } query Two { hosts { meta { total } } }";
    for (let time = 0; time < TIMES; time++) {
      const one = await ask(service, { query, token: world.scoped, operationName: "One" });
      assert.deepEqual(one.data, { hosts: { items: [{ id: 1 }] } });
      const two = await ask(service, { query, token: world.manager, operationName: "Two" });
      assert.deepEqual(two.data, { hosts: { meta: { total: 3 } } });
    }
  });

  /** As they are sent: the order of fields counts. */
  async function answers(query: string, variables: Case["variables"], as: keyof World) {
    const all: { status: number; text: string }[] = [];
    for (let time = 0; time < TIMES; time++) {
      const response = await fetch(`${service.origin}/graphql`, {
        method: "POST",
        headers: { "Content-Type": "application/json", Authorization: `Bearer ${world[as]}` },
        body: JSON.stringify({ query, variables }),
      });
      all.push({ status: response.status, text: await response.text() });
    }
    return all;
  }
});
