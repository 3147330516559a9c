// What queries answer, and to whom, on real rows.
import assert from "node:assert/strict";
import { requireAll } from "../../src/reads/engine/requirement.js";
import { taskIsOwn } from "../../src/reads/models/requirements.js";
import { CUSTOMER_ID } from "../graphql/support/world.js";
import { contextOf } from "../support/context.js";
import { plant } from "../support/rows.js";
import { refusedAs } from "../support/refusal.js";
import { items } from "./cases/answered.js";
import { catalogueCases } from "./cases/catalogue.js";
import { guestsCases } from "./cases/guests.js";
import { inventoryCases } from "./cases/inventory.js";
import { peopleCases } from "./cases/people.js";
import { refusedCases } from "./cases/refused.js";
import { callers, startExecution, type Execution } from "./execute.js";

const answeredCases = [...inventoryCases, ...guestsCases, ...catalogueCases, ...peopleCases];

/** A filter of the request log, and the ids that it leaves. */
const logFilters: readonly (readonly [string, ...string[]])[] = [
  ["", "3", "2", "1", "4"],
  ["tokenId: 1", "3", "1"],
  ["statusMin: 400, statusMax: 421", "2", "4"],
  ['sourceIp: "192.0.2.1"', "3", "1"],
  ['sourceIp: " ::ffff:192.0.2.1 "', "3", "1"],
  ['sourceIp: "::FFFF:c000:0201"', "3", "1"],
  ['sourceIp: "2001:DB8:0:0::0007%eth0"', "4"],
  ['path: "guests"', "3", "2"],
  ['from: "2026-01-01T11:00:00Z", to: "2026-01-01T13:00:00+01:00"', "2"],
];

describe("resolvers/queries", () => {
  let execution: Execution;

  before(async () => {
    execution = await startExecution();
  });
  after(() => execution.services.close());

  for (const { must, as, query, data } of answeredCases) {
    it(`${must} (${as})`, async () => assert.deepEqual(await execution.data(as, query), data));
  }

  for (const { what, as, query, kind } of refusedCases) {
    it(`refuses ${what} as ${kind} (${as})`, async () => {
      assert.equal((await execution.refusal(as, query)).kind, kind);
    });
  }

  it("shows how API tokens stand", async () => {
    const { pool } = execution.services;
    await pool.query(`update api_token set revoked_at = now() where name = 'plain'`);
    await pool.query(`update api_token set expires_at = now() - interval '1 second' where name = 'scoped'`);
    const data = await execution.data("manager", "{ apiTokens { name status connectionScope permissions } }");
    assert.deepEqual(data, {
      apiTokens: [
        { name: "scoped", status: "expired", connectionScope: [1], permissions: [] },
        { name: "plain", status: "revoked", connectionScope: [], permissions: [] },
        { name: "manager", status: "active", connectionScope: [], permissions: ["hosts.manage"] },
      ],
    });
  });

  it("lists the hosts that are in use apart from those that are not, and unhealthy agents", async () => {
    const { pool } = execution.services;
    await pool.query(
      `update host set maintenance = id = 1, maintenance_since = case when id = 1 then now() end, last_sync_error = case when id = 3 then 'refused' end`,
    );
    await pool.query(`update agent set healthy = false where node_id = 2`);
    const query = `{
      used: hosts(inUse: true) { items { id } }
      others: hosts(inUse: false) { items { id } }
      ill: nodes(agentHealthy: false) { items { name } } }`;
    const data = await execution.data("plain", query);
    await pool.query(`update host set maintenance = false, maintenance_since = null, last_sync_error = null`);
    await pool.query(`update agent set healthy = true`);
    assert.deepEqual(data, {
      used: items([{ id: 2 }]),
      others: items([{ id: 1 }, { id: 3 }]),
      ill: items([{ name: "b1" }]),
    });
  });

  it("lists the templates of a host apart from its guests", async () => {
    await execution.services.pool.query(`update guest set template = true where host_id = 2 and vmid = 100`);
    const query = `{
      templates: guests(filter: { hostIds: [2], template: true }) { items { vmid } }
      others: guests(filter: { hostIds: [2], template: false }) { items { vmid } } }`;
    const data = await execution.data("plain", query);
    assert.deepEqual(data, { templates: items([{ vmid: 100 }]), others: items([{ vmid: 101 }]) });
  });

  it("lists balance runs, newest first, and no evacuations", async () => {
    await plant(execution.services.pool, { run: [{ kind: "balance_run" }, {}, { kind: "balance_run" }] });
    assert.deepEqual(await execution.data("manager", "{ balanceRuns { items { id total } meta { total } } }"), {
      balanceRuns: {
        items: [
          { id: 3, total: 0 },
          { id: 1, total: 0 },
        ],
        meta: { total: 2 },
      },
    });
    assert.deepEqual(
      await execution.data(
        "manager",
        "{ balanceRuns(ids: [1, 2]) { items { id } } evacuations(ids: [1, 2]) { items { id } } }",
      ),
      { balanceRuns: items([{ id: 1 }]), evacuations: items([{ id: 2 }]) },
    );
    assert.equal((await execution.refusal("plain", "{ balanceRuns { meta { total } } }")).kind, "forbidden");
  });

  it("shows resellers the tasks of their jobs and of their customers' guests", async () => {
    const { services } = execution;
    const reseller = contextOf(services, callers.reseller);
    const [cloning, starting] = ["qmclone:9000", "vzstart:100"].map(
      (what) => `UPID:b1:00000001:00000001:65000000:${what}:root@pam:`,
    );
    await services.pool.query(`update job set upids = array[$1] where id = 2`, [cloning]);
    await requireAll(reseller, [taskIsOwn(2, cloning ?? "")]);
    await refusedAs("notFound", requireAll(reseller, [taskIsOwn(2, starting ?? "")]));
    await services.pool.query(`update guest set owner_id = $1 where host_id = 2 and vmid = 100`, [CUSTOMER_ID]);
    await requireAll(reseller, [taskIsOwn(2, starting ?? "")]);
  });

  it("filters the request log", async () => {
    await plant(execution.services.pool, {
      request_log: [
        { at: new Date("2026-01-01T10:00:00Z"), token_id: 1, source_ip: "192.0.2.1", path: "/api/v1/hosts" },
        { at: new Date("2026-01-01T11:00:00Z"), source_ip: "192.0.2.2", path: "/api/v1/hosts/1/guests", status: 401 },
        { at: new Date("2026-01-01T12:00:00Z"), token_id: 1, source_ip: "192.0.2.1", path: "/guests", status: 422 },
        { at: new Date("2026-01-01T09:00:00Z"), source_ip: "2001:db8::7", path: "/api/v1/users", status: 403 },
      ],
    });
    for (const [filter, ...ids] of logFilters) {
      const data = await execution.data("manager", `{ requestLog(filter: { ${filter} }) { items { id } } }`);
      assert.deepEqual(data, { requestLog: items(ids.map((id) => ({ id }))) }, filter);
    }
  });

  it("shows a token of bounded scope no tokens that reach further, nor their requests", async () => {
    await plant(execution.services.pool, {
      request_log: [
        { at: new Date("2026-01-02T10:00:00Z"), token_id: 3, path: "/api/v1/hosts/1" },
        { at: new Date("2026-01-02T10:00:01Z"), token_id: 2, path: "/api/v1/hosts/2" },
        { at: new Date("2026-01-02T10:00:02Z"), path: "/api/v1/hosts/2", status: 401 },
      ],
    });
    await execution.services.pool.query("update api_token set made_by = 1 where id = 3");
    const query = `{ apiTokens { name madeBy { name } } requestLog(filter: { from: "2026-01-02T00:00:00Z" }) { items { path } meta { total } } }`;
    assert.deepEqual(await execution.data("scopedManager", query), {
      apiTokens: [{ name: "scoped", madeBy: null }],
      requestLog: { items: [{ path: "/api/v1/hosts/1" }], meta: { total: 1 } },
    });
  });
});
