// Tests how API tokens are made and revoked, and that none gives away more than it has.
import assert from "node:assert/strict";
import { openAccess } from "../../../src/access/authenticate.js";
import { hashAccessToken } from "../../../src/access/accessToken.js";
import { createApiToken, revokeApiToken, type ApiTokenRequest } from "../../../src/actions/accounts/token.js";
import { anonymous, contextOf, managingToken, tokenViewer, userViewer } from "../../support/context.js";
import { eventually } from "../../support/eventually.js";
import { refusedAs, refusedFields } from "../../support/refusal.js";
import { plant, planted } from "../../support/rows.js";
import { createTestServices, fixedClock, type TestServices } from "../../support/services.js";

const WAITING = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
const NOW = new Date("2026-11-21T12:00:00Z");

describe("actions/token", () => {
  let services: TestServices;
  before(async () => {
    services = await createTestServices({ clock: fixedClock(NOW) });
    await plant(services.pool, { host: ["h1", "h2", "h3"].map((name) => ({ name })) });
  });
  after(() => services.close());

  const operator = () => contextOf(services, userViewer("operator", 1));

  it("stores only the hash of the value that it returns once", async () => {
    const { id, value } = await createApiToken(operator(), {
      name: " shop ",
      allowedIps: " 203.0.113.0/24\n2001:db8::1 \n",
      rateLimit: 60,
      connectionScope: [3, 1, 3],
      permissions: ["hosts.manage", "hosts.manage"],
      expiresAt: new Date("2027-01-01T00:00:00Z"),
    });
    const { rows } = await services.pool.query("select * from api_token where id = $1", [id]);
    const { prefix, token_hash: hash, ...row } = rows[0];
    assert.equal(hash, hashAccessToken(value));
    assert.ok(value.startsWith(prefix) && prefix.length === 10);
    assert.ok(!JSON.stringify(row).includes(value.slice(10)));
    assert.equal(row.name, "shop");
    assert.equal(row.allowed_ips, "203.0.113.0/24\n2001:db8::1");
    assert.deepEqual(row.connection_scope, [1, 3]);
    assert.deepEqual(row.permissions, ["hosts.manage"]);
    assert.equal(row.rate_limit, 60);
    assert.equal(row.created_at.toISOString(), NOW.toISOString());
  });

  it("takes a name alone: any source, no limit, every host, never ending", async () => {
    const { id } = await createApiToken(operator(), { name: "plain", allowedIps: " \n", connectionScope: [] });
    const { rows } = await services.pool.query(
      "select allowed_ips, rate_limit, connection_scope, permissions, expires_at from api_token where id = $1",
      [id],
    );
    assert.deepEqual(rows, [
      { allowed_ips: null, rate_limit: null, connection_scope: [], permissions: [], expires_at: null },
    ]);
  });

  const refusals: readonly (readonly [title: string, input: ApiTokenRequest, fields: readonly string[]])[] = [
    ["a blank name", { name: "  " }, ["name"]],
    ["a name of 201 characters", { name: "x".repeat(201) }, ["name"]],
    ["a malformed address", { name: "t", allowedIps: "203.0.113.5\n203.0.113.0/33" }, ["allowedIps"]],
    ["a negative limit", { name: "t", rateLimit: -1 }, ["rateLimit"]],
    ["an unknown permission", { name: "t", permissions: ["root"] }, ["permissions"]],
    ["an end that is now", { name: "t", expiresAt: NOW }, ["expiresAt"]],
    ["an unknown host", { name: "t", connectionScope: [1, 99] }, ["connectionScope"]],
    [
      "everything at once",
      { name: "", allowedIps: "x", rateLimit: -5, permissions: ["y"], connectionScope: [98], expiresAt: new Date(0) },
      ["name", "allowedIps", "rateLimit", "permissions", "connectionScope", "expiresAt"],
    ],
  ];
  for (const [title, input, fields] of refusals) {
    it(`refuses ${title}`, () => refusedFields(fields, createApiToken(operator(), input)));
  }

  it("is for those who manage hosts", async () => {
    await refusedAs("unauthenticated", createApiToken(contextOf(services, anonymous), { name: "t" }));
    await refusedAs("forbidden", createApiToken(contextOf(services, tokenViewer()), { name: "t" }));
    await refusedAs("forbidden", createApiToken(contextOf(services, userViewer("reseller", 1)), { name: "t" }));
  });

  const BOUNDS = {
    allowedIps: "203.0.113.0/24",
    rateLimit: 60,
    connectionScope: [1, 2],
    permissions: ["hosts.manage"],
    expiresAt: new Date("2027-01-01T00:00:00Z"),
  };
  const maker = async (bounds: Partial<ApiTokenRequest>) => {
    const { id } = await createApiToken(operator(), { name: "maker", permissions: ["hosts.manage"], ...bounds });
    const viewer = managingToken(bounds.connectionScope ?? null);
    assert.ok(viewer.kind === "token");
    return { id, context: contextOf(services, { ...viewer, tokenId: id }) };
  };

  const madeBy = async (by: Awaited<ReturnType<typeof maker>>, name: string) => {
    const { id } = await createApiToken(by.context, { name, permissions: ["hosts.manage"] });
    const viewer = managingToken();
    assert.ok(viewer.kind === "token");
    return { id, context: contextOf(services, { ...viewer, tokenId: id }) };
  };
  const revokedAmong = async (...tokens: readonly { readonly id: number }[]) => {
    const { rows } = await services.pool.query<{ id: number }>(
      "select id from api_token where id = any($1) and revoked_at = $2 order by id",
      [tokens.map(({ id }) => id), NOW],
    );
    return rows.map(({ id }) => id);
  };

  describe("of a token that makes tokens", () => {
    it("are such as reach no further", async () => {
      const { context } = await maker(BOUNDS);
      await createApiToken(context, { ...BOUNDS, name: "alike" });
      await createApiToken(context, { ...BOUNDS, name: "narrower", connectionScope: [2], permissions: [] });
      const { context: unbounded } = await maker({});
      await createApiToken(unbounded, { name: "anything", permissions: ["hosts.manage"] });
    });

    it("never are wider in any respect", async () => {
      const { context } = await maker(BOUNDS);
      for (const wider of [
        { connectionScope: [2, 3] },
        { connectionScope: [2, 99] },
        { connectionScope: [] },
        { allowedIps: "" },
        { allowedIps: "203.0.113.9\n198.51.100.1" },
        { rateLimit: 61 },
        { rateLimit: 0 },
        { expiresAt: null },
        { expiresAt: new Date("2027-01-01T00:00:01Z") },
      ]) {
        const refused = await refusedAs("forbidden", createApiToken(context, { ...BOUNDS, name: "wider", ...wider }));
        assert.deepEqual(
          [refused.reason, ...refused.fields.map(({ field }) => field)],
          ["BEYOND_OWN_TOKEN", ...Object.keys(wider)],
        );
      }
      const { rowCount } = await services.pool.query("select from api_token where name = 'wider'");
      assert.equal(rowCount, 0);
    });

    it("are none when it is revoked meanwhile", async () => {
      const { id, context } = await maker({});
      await revokeApiToken(operator(), id);
      await refusedAs("unauthenticated", createApiToken(context, { name: "late" }));
    });
  });

  it("revokes at once in this process; again changes nothing", async () => {
    const access = openAccess(services);
    const { id, value } = await createApiToken(operator(), { name: "short-lived" });
    const ask = async () =>
      (await access.authenticate({ authorization: `Bearer ${value}`, sourceIp: "::1" }, ["apiToken"])).admitted;
    assert.equal(await ask(), true);
    await revokeApiToken(operator(), id);
    assert.equal(await ask(), false);
    await revokeApiToken(operator(), id);
    await access.close();
  });

  describe("that is revoked", () => {
    it("takes along what it made and what those made, and nothing else", async () => {
      const root = await maker({});
      const [first, sibling] = [await madeBy(root, "first"), await madeBy(root, "sibling")];
      const second = await madeBy(first, "second");
      const all = [root, first, sibling, second];
      await revokeApiToken(operator(), first.id);
      assert.deepEqual(await revokedAmong(...all), [first.id, second.id]);
      await refusedAs("unauthenticated", createApiToken(second.context, { name: "late" }));
      await services.pool.query("update api_token set revoked_at = $2 where id = $1", [root.id, NOW]);
      assert.deepEqual(await revokedAmong(...all), [root.id, first.id, sibling.id, second.id]);
    });

    it("takes along what is being made below it at that moment", async () => {
      const root = await maker({});
      const first = await madeBy(root, "first");
      const making = await services.pool.connect();
      await making.query("begin");
      await making.query("select from api_token where id = $1 for share", [first.id]);
      const last = await planted(making, "api_token", { name: "last", made_by: first.id });
      const revoking = revokeApiToken(operator(), root.id);
      await eventually(async () => assert.equal((await services.pool.query(WAITING)).rowCount, 1));
      await making.query("commit");
      making.release();
      await revoking;
      assert.deepEqual((await revokedAmong(last)).length, 1);
    });
  });

  it("does not find tokens that are not there, or of a wider scope than the caller's", async () => {
    const { id: wide } = await createApiToken(operator(), { name: "wide", connectionScope: [1, 2] });
    const { id: every } = await createApiToken(operator(), { name: "every" });
    await refusedAs("notFound", revokeApiToken(operator(), 4711));
    await refusedAs("notFound", revokeApiToken(contextOf(services, managingToken([1])), wide));
    await refusedAs("notFound", revokeApiToken(contextOf(services, managingToken([1])), every));
    await revokeApiToken(contextOf(services, managingToken([1, 2])), wide);
  });
});
