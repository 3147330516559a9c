// Every list with every filter, on tables of many rows: PostgreSQL reads none of them from end to end.
import assert from "node:assert/strict";
import { graphql } from "graphql";
import type { Pool } from "pg";
import { z } from "zod";
import { fillFleet } from "../../bench/seed/fleet.js";
import type { Viewer } from "../../src/access/viewer.js";
import { KeptFleet } from "../../src/actions/placement/keptFleet.js";
import { UserRole } from "../../src/core/enums.js";
import { buildDroverSchema } from "../../schema/build.js";
import { contextOf, managingToken, tokenViewer, userViewer } from "../support/context.js";
import { createTestServices, type TestServices } from "../support/services.js";

const FLEET = { hosts: 20, nodesPerHost: 5, guests: 20_000 };
/** With fewer rows than these a sequential scan is the best plan there is. */
const MANY_ROWS = 5_000;

const viewers = {
  manager: managingToken(),
  scoped: tokenViewer([3]),
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
  guests("safetyCopy: true"),
  {
    query: `{ guest(hostId: 3, type: QEMU, vmid: 111) { id activeJob { id } portForwards { publicPort } ipAddresses } }`,
  },
  { query: `{ jobs { ${EVERYTHING} } }` },
  jobs("hostIds: [3]"),
  jobs("status: QUEUED"),
  jobs("status: FAILED"),
  { query: `{ jobs(filter: { kind: MIGRATION }) { ${EVERYTHING} } }` },
  jobs("vmid: 111"),
  { query: "{ job(id: 7) { id } }" },
  { query: `{ migrations { ${EVERYTHING} } }` },
  migrations("hostIds: [3]"),
  migrations('node: "pve3-2"'),
  migrations("status: FAILED"),
  { query: "{ migration(id: 7) { id warnings } }" },
  { query: `{ evacuations { items { id items { id migration { id } } } } }` },
  { query: "{ evacuation(id: 2) { id items { id migration { id } } } }" },
  { query: `{ requestLog { ${EVERYTHING} } }` },
  requestLog("tokenId: 7"),
  requestLog("statusMin: 400"),
  requestLog('sourceIp: "198.51.100.7"'),
  requestLog('from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z"'),
  requestLog('path: "/hosts/7/", from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z"'),
  { query: `{ users { ${EVERYTHING} } }`, as: ["manager", "scoped", "reseller"] },
  { query: `{ users(role: RESELLER) { ${PAGE} } }` },
  { query: `{ users(search: "r4321@") { ${PAGE} } }`, as: ["manager", "scoped", "reseller"] },
  { query: `{ sshKeys(userId: 500) { ${PAGE} } }` },
  {
    query: `{ hosts { items { id guestCount nodes { name guestCount samples { at } } } } }`,
    as: ["manager", "scoped", "reseller"],
  },
  { query: `{ nodes(hostId: 3) { items { name guestCount samples { at } storages { name } } } }` },
  { query: "{ nextVmid(hostId: 3) }" },
  { query: `{ ipZones(hostId: 3) { items { used } } }` },
  { query: `{ placementSuggest(input: { type: QEMU, memoryMb: 512, cores: 1, diskGb: 5 }) { best { node } } }` },
];

interface Statement {
  readonly text: string;
  readonly values: unknown[];
}

interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string | undefined;
  readonly Plans?: readonly PlanNode[] | undefined;
}

const planNode: z.ZodType<PlanNode> = z.object({
  "Node Type": z.string(),
  "Relation Name": z.string().optional(),
  get Plans() {
    return z.array(planNode).optional();
  },
});
const explained = z.tuple([z.object({ "QUERY PLAN": z.tuple([z.object({ Plan: planNode })]) })]);

describe("db/plans", function () {
  this.timeout(120_000);
  let services: TestServices;
  let large: ReadonlySet<string>;

  before(async () => {
    services = await createTestServices();
    await fillFleet(services.pool, FLEET);
    const { rows } = await services.pool.query<{ relname: string }>(
      `select relname from pg_class where relkind = 'r' and reltuples >= $1`,
      [MANY_ROWS],
    );
    large = new Set(rows.map(({ relname }) => relname));
  });
  after(() => services.close());

  it("has many rows where an operator would have them", () => {
    for (const table of ["guest", "user_account", "job", "job_step", "migration", "request_log_rest"])
      assert.ok(large.has(table), table);
  });

  for (const { query, as = MANAGER } of LISTS) {
    for (const name of as) {
      it(`reads no large table from end to end for ${name}: ${query}`, async () => {
        const statements = await statementsOf(query, viewers[name]);
        assert.ok(statements.length > 0);
        for (const statement of statements) {
          const scanned = scannedTables(await planOf(statement)).filter((table) => large.has(table));
          assert.deepEqual(scanned, [], statement.text);
        }
      });
    }
  }

  /** What the operation sends to PostgreSQL. */
  async function statementsOf(source: string, viewer: Viewer): Promise<Statement[]> {
    const statements: Statement[] = [];
    const pool = recording(services.pool, statements);
    const fleet = new KeptFleet({ ...services, pool });
    const contextValue = contextOf({ ...services, pool, fleet }, viewer);
    const { errors } = await graphql({ schema: buildDroverSchema(), source, contextValue });
    fleet.close();
    if (errors?.[0] !== undefined) throw errors[0].originalError ?? errors[0];
    return statements;
  }

  async function planOf({ text, values }: Statement): Promise<PlanNode> {
    const { rows } = await services.pool.query({ text: `explain (format json) ${text}`, values });
    return explained.parse(rows)[0]["QUERY PLAN"][0].Plan;
  }
});

const scannedTables = (plan: PlanNode): string[] => [
  ...(plan["Node Type"] === "Seq Scan" ? [plan["Relation Name"] ?? ""] : []),
  ...(plan.Plans ?? []).flatMap(scannedTables),
];

/** The pool, with what is asked of it noted. */
function recording(pool: Pool, statements: Statement[]): Pool {
  const query = (asked: string | Partial<Statement>, ...others: unknown[]): unknown => {
    const { text = "", values = valuesOf(others) } = typeof asked === "string" ? { text: asked } : asked;
    statements.push({ text, values });
    return Reflect.apply(pool.query.bind(pool), pool, [asked, ...others]);
  };
  return new Proxy(pool, { get: (target, key) => (key === "query" ? query : Reflect.get(target, key)) });
}

const valuesOf = ([values]: readonly unknown[]): unknown[] => (Array.isArray(values) ? values : []);
