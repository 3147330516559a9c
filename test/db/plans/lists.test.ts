// Every list with every filter, on tables of many rows: PostgreSQL reads none of them from end to end.
import assert from "node:assert/strict";
import { getNamedType, graphql, isInputObjectType, Kind, parse, type GraphQLArgument } from "graphql";
import type { Viewer } from "../../../src/access/viewer.js";
import { FleetCache } from "../../../src/placement/fleetCache.js";
import { UserRole } from "../../../src/core/enums.js";
import { buildDroverSchema } from "../../../resolvers/buildSchema.js";
import { contextOf, managingToken, tokenViewer, userViewer } from "../../support/context.js";
import { openLargeFleet, recording, type LargeFleet, type Statement } from "./largeFleet.js";

const schema = buildDroverSchema();

const viewers = {
  manager: managingToken(),
  scoped: tokenViewer([3]),
  scopedManager: managingToken([3]),
  reseller: userViewer(UserRole.RESELLER, 2),
  customer: userViewer(UserRole.CUSTOMER, 500),
} as const satisfies Record<string, Viewer>;

const MANAGER: readonly (keyof typeof viewers)[] = ["manager"];
const PAGE = "items { id } meta { total }";

/** To count all rows of a table, or a large share of them, is to read them: such a list is looked at without its total. */
const EVERYTHING = "items { id }";

interface List {
  readonly query: string;
  readonly as?: readonly (keyof typeof viewers)[];
}

const guests = (filter: string): List => ({
  query: `{ guests(filter: { ${filter} }) { ${PAGE} } }`,
  as: ["manager", "scoped", "reseller", "customer"],
});
const sortedGuests = (field: string): List => ({
  query: `{ guests(sort: { field: ${field}, direction: ASC }) { ${EVERYTHING} } }`,
});
const jobs = (filter: string): List => ({ query: `{ jobs(filter: { ${filter} }) { ${PAGE} } }` });
const migrations = (filter: string): List => ({ query: `{ migrations(filter: { ${filter} }) { ${PAGE} } }` });
const requestLog = (filter: string): List => ({ query: `{ requestLog(filter: { ${filter} }) { ${PAGE} } }` });

const addresses = (filter: string): List => ({
  query: `{ ipAddressHistory(filter: { ${filter} }) { ${PAGE} } }`,
  as: ["manager", "scopedManager"],
});

/** What reads a row that an operator sets, or asks the platform too: that is looked at as work. */
const NO_LISTS = new Set(["settings", "viewer", "task", "migrationPlan", "evacuationCandidates"]);

const LISTS: readonly List[] = [
  { query: `{ guests { ${EVERYTHING} } }`, as: ["manager", "scoped", "reseller", "customer"] },
  sortedGuests("VMID"),
  sortedGuests("NAME"),
  sortedGuests("CREATED"),
  guests("hostIds: [3]"),
  guests('node: "pve3-2"'),
  guests('hostIds: [3], node: "pve3-2"'),
  { query: `{ guests(filter: { type: LXC }) { ${EVERYTHING} } }`, as: ["manager", "scoped", "reseller", "customer"] },
  guests("status: STOPPED"),
  guests("ownerId: 500"),
  guests('tag: "customer7"'),
  guests('search: "012345"'),
  guests('search: "1234"'),
  guests('search: "10.0.0.77"'),
  guests("safetyCopy: true"),
  guests("template: true"),
  {
    query: `{ guest(hostId: 3, type: QEMU, vmid: 111) { id activeJob { id } portForwards { publicPort } ipAddresses } }`,
  },
  { query: `{ jobs { ${EVERYTHING} } }` },
  jobs("hostIds: [3]"),
  jobs("ids: [7, 8]"),
  jobs("status: QUEUED"),
  jobs("status: FAILED"),
  { query: `{ jobs(filter: { kind: MIGRATION }) { ${EVERYTHING} } }` },
  jobs("vmid: 111"),
  { query: "{ job(id: 7) { id } }" },
  { query: "{ job(id: 7, hostId: 2) { id } }" },
  { query: `{ migrations { ${EVERYTHING} } }` },
  migrations("hostIds: [3]"),
  migrations("ids: [7, 8]"),
  migrations('node: "pve3-2"'),
  migrations("status: FAILED"),
  { query: "{ migration(id: 7) { id warnings } }" },
  { query: `{ evacuations { items { id items { id migration { id } } } } }` },
  { query: `{ evacuations(ids: [2]) { ${PAGE} } }` },
  { query: "{ evacuation(id: 2) { id items { id migration { id } } } }" },
  { query: `{ requestLog { ${EVERYTHING} } }` },
  requestLog("tokenId: 7"),
  requestLog("statusMin: 400"),
  requestLog("statusMin: 200, statusMax: 299, tokenId: 7"),
  requestLog('sourceIp: "198.51.100.7"'),
  requestLog('from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z"'),
  requestLog('path: "/hosts/7/", from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z"'),
  { query: `{ users { ${EVERYTHING} } }`, as: ["manager", "scoped", "reseller"] },
  { query: `{ users(role: RESELLER) { ${PAGE} } }` },
  { query: `{ users(search: "r4321@") { ${PAGE} } }`, as: ["manager", "scoped", "reseller"] },
  { query: `{ users(email: "R4321@example.com") { ${PAGE} } }`, as: ["manager", "scoped", "reseller"] },
  { query: `{ users(username: "R4321") { ${PAGE} } }`, as: ["manager", "scoped", "reseller"] },
  { query: `{ users(userId: "crm-4321") { ${PAGE} } }`, as: ["manager", "scoped", "reseller"] },
  { query: "{ sessions { id } }", as: ["customer"] },
  { query: "{ sessions(userId: 500) { id } }" },
  { query: `{ signIns { ${PAGE} } }`, as: ["customer"] },
  { query: `{ signIns(userId: 500) { ${PAGE} } }` },
  { query: "{ user(id: 2) { id } }", as: ["manager", "reseller"] },
  { query: `{ sshKeys(userId: 500) { ${PAGE} } }` },
  {
    query: `{ hosts { items { id guestCount nodes { name guestCount samples { at } } } } }`,
    as: ["manager", "scoped", "reseller"],
  },
  { query: `{ nodes(hostId: 3) { items { name guestCount samples { at } storages { name } } } }` },
  { query: `{ nodes { items { name guestCount } meta { total } } }` },
  { query: `{ nodes(search: "pve3-2", otherThanHostId: 7) { items { name guestCount } } }` },
  { query: `{ nodes(hottestFirst: true) { items { name guestCount } } }` },
  { query: `{ nodes(hot: true, agentHealthy: true, status: ONLINE) { items { name guestCount } } }` },
  { query: `{ node(hostId: 3, name: "pve3-2") { guestCount samples { at } } }` },
  { query: `{ host(id: 3) { guestCount nodes { samples { at } } } }` },
  { query: `{ hosts(ids: [3], inUse: true, search: "host0003") { items { guestCount } meta { total } } }` },
  { query: `{ networks(hostId: 3, node: "pve3-2") { items { name } } }` },
  { query: `{ storages(hostId: 3, node: "pve3-2") { items { name } } }` },
  { query: `{ osTemplates(hostId: 3, includeInactive: true, search: "Debian") { ${PAGE} } }` },
  { query: `{ ctTemplates(hostId: 3, node: "pve3-2", search: "debian") { items { volid } meta { total } } }` },
  { query: `{ plans(hostId: 3, activeOnly: true, search: "Plan") { ${PAGE} } }` },
  { query: "{ apiTokens { id } }", as: ["manager", "scopedManager"] },
  // Of all hosts it compares every guest with its plan.
  { query: "{ alerts { items { code } meta { total } } }", as: ["scopedManager"] },
  { query: "{ balanceReport(mode: SMALLEST_FIRST) { hotNodes { node } } }", as: ["manager", "scopedManager"] },
  { query: "{ balanceRun(id: 1000000) { id items { id migration { id } } } }" },
  { query: `{ balanceRuns(ids: [1000000]) { ${PAGE} } }` },
  { query: `{ balanceRuns { items { id items { id migration { id } } } } }` },
  { query: `{ ipAddresses(zoneId: 3) { items { address guest { id } owner { id } history { since } } } }` },
  { query: `{ ipAddressHistory { ${EVERYTHING} } }`, as: ["manager", "scopedManager"] },
  addresses('address: "10.0.0.77"'),
  addresses('address: "10.0.0.77", at: "2026-01-01T00:00:00Z"'),
  { query: `{ ipAddressHistory(filter: { at: "2026-01-01T00:00:00Z" }) { ${EVERYTHING} } }` },
  addresses("guestId: 75"),
  addresses("ownerId: 500"),
  addresses("zoneId: 3"),
  addresses("hostIds: [3]"),
  { query: "{ nextVmid(hostId: 3) }" },
  { query: `{ ipZones(hostId: 3) { items { used } } }` },
  { query: `{ ipZones(search: "10.0.0.77") { ${PAGE} } }` },
  { query: `{ placementSuggest(input: { type: QEMU, memoryMb: 512, cores: 1, diskGb: 5 }) { best { node } } }` },
];

describe("db/plans", function () {
  this.timeout(1_800_000);
  let fleet: LargeFleet;

  before(async () => {
    fleet = await openLargeFleet();
  });
  after(() => fleet.services.close());

  it("has many rows where an operator would have them", () => {
    for (const table of ["guest", "user_account", "job", "job_step", "migration", "request_log_rest"])
      assert.ok(fleet.large.has(table), table);
  });

  it("looks at every list with every argument and filter", () => {
    const looked = new Set(LISTS.flatMap(({ query }) => argumentsIn(query)));
    assert.deepEqual(
      argumentsOfLists().filter((argument) => !looked.has(argument)),
      [],
    );
  });

  for (const { query, as = MANAGER } of LISTS) {
    for (const name of as) {
      it(`reads no large table from end to end for ${name}: ${query}`, async () => {
        const statements = await statementsOf(query, viewers[name]);
        assert.ok(statements.length > 0);
        for (const statement of statements) assert.deepEqual(await fleet.scanned(statement), [], statement.text);
      });
    }
  }

  /** What the operation sends to PostgreSQL. */
  async function statementsOf(source: string, viewer: Viewer): Promise<Statement[]> {
    const statements: Statement[] = [];
    const { services } = fleet;
    const pool = recording(services.pool, statements);
    const cache = new FleetCache({ ...services, pool });
    const contextValue = contextOf({ ...services, pool, fleet: cache }, viewer);
    const { errors } = await graphql({ schema, source, contextValue });
    cache.close();
    if (errors?.[0] !== undefined) throw errors[0].originalError ?? errors[0];
    return statements;
  }
});

/** Paging is the same for all. */
const OF_PAGES = new Set(["page", "perPage"]);

/** As `guests`, `guests.sort`, `guests.filter.node`. */
function argumentsOfLists(): string[] {
  const queries = Object.values(schema.getQueryType()?.getFields() ?? {});
  return queries
    .filter(({ name }) => !NO_LISTS.has(name))
    .flatMap(({ name, args }) => [
      name,
      ...args.filter((argument) => !OF_PAGES.has(argument.name)).flatMap((argument) => pathsOf(name, argument)),
    ]);
}

function pathsOf(query: string, { name, type }: GraphQLArgument): string[] {
  const path = `${query}.${name}`;
  const input = getNamedType(type);
  if (name !== "filter" || !isInputObjectType(input)) return [path];
  return [path, ...Object.keys(input.getFields()).map((field) => `${path}.${field}`)];
}

/** Those that an operation gives to the one list that it asks for. */
function argumentsIn(source: string): string[] {
  const [operation] = parse(source).definitions;
  assert.ok(operation?.kind === Kind.OPERATION_DEFINITION);
  const [list] = operation.selectionSet.selections;
  assert.ok(list?.kind === Kind.FIELD);
  const query = list.name.value;
  return [
    query,
    ...(list.arguments ?? []).flatMap(({ name, value }) => {
      const path = `${query}.${name.value}`;
      return [path, ...(value.kind === Kind.OBJECT ? value.fields.map((field) => `${path}.${field.name.value}`) : [])];
    }),
  ];
}
