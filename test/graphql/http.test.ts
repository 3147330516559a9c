// GraphQL over HTTP: who comes in, what is bounded, and how refusals and faults look.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { fixedClock } from "../support/services.js";
import { storeToken } from "../support/tokens.js";
import { ask, startGraphql, type GraphqlService } from "./support/service.js";
import { fillWorld, type World } from "./support/world.js";

describe("graphql/http", () => {
  let service: GraphqlService;
  let world: World;

  before(async () => {
    // It stands, so that no limit of a minute begins again in the middle of a test.
    service = await startGraphql({ clock: fixedClock(new Date()) });
    world = await fillWorld(service.services.pool);
  });
  after(() => service.close());

  it("answers an operation, with a request id", async () => {
    const { status, data, headers } = await ask(service, { query: "{ viewer { hostIds } }", token: world.scoped });
    assert.equal(status, 200);
    assert.deepEqual(data, { viewer: { hostIds: [1] } });
    assert.match(headers.get("x-request-id") ?? "", /^[\w-]{36}$/);
  });

  it("keeps the request id of the caller", async () => {
    const { headers } = await ask(service, {
      query: "{ __typename }",
      token: world.plain,
      headers: { "X-Request-Id": "mine-7" },
    });
    assert.equal(headers.get("x-request-id"), "mine-7");
  });

  it("lets people's sessions in", async () => {
    const { data } = await ask(service, { query: "{ viewer { user { username } } }", token: world.customer });
    assert.deepEqual(data, { viewer: { user: { username: "carl" } } });
  });

  it("shows the schema to strangers, and nothing else", async () => {
    const schema = await ask(service, { query: "{ __schema { queryType { name } } }" });
    assert.deepEqual(schema.data, { __schema: { queryType: { name: "Query" } } });
    const hosts = await ask(service, { query: "{ hosts { items { id } } }" });
    assert.equal(hosts.errors?.[0]?.extensions.code, "UNAUTHENTICATED");
  });

  for (const [name, authorization] of [
    ["an unknown token", `Bearer drv_${"x".repeat(43)}`],
    ["no token at all", "Bearer"],
    ["another scheme", "Basic YTpi"],
  ] as const) {
    it(`refuses ${name} with 401`, async () => {
      const { status, errors, headers } = await ask(service, {
        query: "{ __typename }",
        headers: { Authorization: authorization },
      });
      assert.equal(status, 401);
      assert.equal(errors?.[0]?.extensions.code, "UNAUTHENTICATED");
      assert.equal(headers.get("www-authenticate"), "Bearer");
    });
  }

  it("reports the rate limit and refuses with 429 beyond it", async () => {
    const { value: token } = await storeToken(service.services.pool, { name: "one", rate_limit: 1 });
    const first = await ask(service, { query: "{ __typename }", token });
    assert.equal(first.headers.get("x-ratelimit-limit"), "1");
    assert.equal(first.headers.get("x-ratelimit-remaining"), "0");
    const second = await ask(service, { query: "{ __typename }", token });
    assert.equal(second.status, 429);
    assert.equal(second.errors?.[0]?.extensions.code, "RATE_LIMITED");
    assert.ok(Number(second.headers.get("retry-after")) >= 1);
  });

  const refusals: [string, string, string, string?][] = [
    ["a host outside the scope", "{ host(id: 2) { id } }", "FORBIDDEN", "HOST_OUT_OF_SCOPE"],
    ["a host outside the scope that is not there", "{ host(id: 99) { id } }", "FORBIDDEN", "HOST_OUT_OF_SCOPE"],
    ["what needs a permission", "{ settings { ramWeight } }", "FORBIDDEN", "PERMISSION_MISSING"],
    ["a bad page", "{ nodes(hostId: 1, page: 0) { items { name } } }", "VALIDATION_FAILED"],
    ["a record that is not there", "{ guest(hostId: 1, type: LXC, vmid: 100) { id } }", "NOT_FOUND"],
    ["an unknown field", "{ hosts { nonsense } }", "VALIDATION_FAILED"],
    ["a bad argument", '{ host(id: "one") { id } }', "VALIDATION_FAILED"],
    ["a moment that is none", '{ requestLog(filter: { from: "soon" }) { items { id } } }', "VALIDATION_FAILED"],
    ["text that cannot be stored", '{ node(hostId: 1, name: "a\\u0000") { name } }', "VALIDATION_FAILED"],
    ["a search for what cannot be", '{ guests(filter: { search: "\\u0000" }) { items { id } } }', "VALIDATION_FAILED"],
    ["an operation that cannot be parsed", "{ hosts ", "VALIDATION_FAILED"],
  ];
  for (const [name, query, code, reason] of refusals) {
    it(`refuses ${name} as ${code}`, async () => {
      const { errors } = await ask(service, { query, token: world.scoped });
      assert.equal(errors?.[0]?.extensions.code, code, JSON.stringify(errors));
      assert.equal(errors[0].extensions.reason, reason);
    });
  }

  it("answers 400 for what is too much, and 429 for too many wrong passwords", async () => {
    const deep = `{ host(id: 1) ${"{ nodes { host ".repeat(8)} { id } ${"} }".repeat(8)} }`;
    assert.equal((await ask(service, { query: deep, token: world.plain })).status, 400);
    const query = 'mutation { login(username: "nobody-here", password: "wrong") { token } }';
    for (let attempt = 1; attempt <= 5; attempt++) await ask(service, { query, token: null });
    const refused = await ask(service, { query, token: null });
    assert.equal(refused.status, 429);
    assert.equal(refused.errors?.[0]?.extensions.code, "RATE_LIMITED");
    assert.ok(Number(refused.headers.get("retry-after")) >= 1);
  });

  const severalMutations: readonly (readonly [what: string, query: string, ...carriedOut: string[]])[] = [
    ["a mutation by itself", "mutation { a: revokeApiToken(id: 999) { id } }"],
    ["the first of two", "mutation { a: revokeApiToken(id: 999) { id } b: addPlan(input: NEW) { id } }"],
    [
      "the second of three",
      "mutation { a: addPlan(input: NEW) { id } b: revokeApiToken(id: 999) { id } c: addPlan(input: NEW) { id } }",
      "a",
    ],
    [
      "one after a fragment and one that is skipped",
      "mutation { ...F x: addPlan(input: NEW) @skip(if: true) { id } b: revokeApiToken(id: 999) { id } } fragment F on Mutation { a: addPlan(input: NEW) { id } }",
      "a",
    ],
  ];
  for (const [what, query, ...carriedOut] of severalMutations) {
    it(`reports what was carried out before it refused ${what}`, async () => {
      const { pool } = service.services;
      await pool.query("delete from plan where name like 'new %'");
      let plans = 0;
      const written = query.replaceAll(/addPlan\(input: NEW\)/g, () => {
        plans++;
        return `createPlan(input: { name: "new ${plans}", cores: 1, memoryMb: 128, diskGb: 1 })`;
      });
      const { data, errors } = await ask(service, { query: written, token: world.manager });
      assert.equal(data, null);
      assert.equal(errors?.[0]?.extensions.code, "NOT_FOUND");
      assert.deepEqual(errors[0].extensions["carriedOut"] ?? [], carriedOut);
      const { rowCount } = await pool.query("select 1 from plan where name like 'new %'");
      assert.equal(rowCount, carriedOut.length);
    });
  }

  it("names the fields of a validation error", async () => {
    const { errors } = await ask(service, {
      query: "{ hosts(page: 0, perPage: -1) { items { id } } }",
      token: world.plain,
    });
    assert.deepEqual(errors?.[0]?.extensions["fields"], [
      { field: "page", message: "must be a positive integer" },
      { field: "perPage", message: "must be a positive integer" },
    ]);
  });

  it("names fields as its own inputs do, not as REST does", async () => {
    const input =
      '{ type: LXC, node: "auto", name: "box", planId: 99, ownerId: 99, ipSource: "x", sshKeys: ["no key"] }';
    const { errors } = await ask(service, {
      query: `mutation { createGuest(hostId: 1, input: ${input}) { jobId } }`,
      token: world.plain,
    });
    const [error] = errors ?? [];
    assert.deepEqual(error?.extensions["fields"], [
      { field: "osTemplate", message: "or lxcTemplateId is required for a container" },
      { field: "ipSource", message: "must be dhcp or zone:<zone_id>" },
      { field: "planId", message: "is no active plan" },
      { field: "ownerId", message: "is no known user" },
      { field: "sshKeys[0]", message: "is no OpenSSH public key" },
    ]);
    assert.match(error?.message ?? "", /^osTemplate: or lxcTemplateId is required .*; sshKeys\[0\]: /);
  });

  it("refuses a variable of another type as VALIDATION_FAILED", async () => {
    const { errors } = await ask(service, {
      query: "query ($id: Int!) { host(id: $id) { id } }",
      variables: { id: "one" },
      token: world.plain,
    });
    assert.equal(errors?.[0]?.extensions.code, "VALIDATION_FAILED");
  });

  it("reports nothing of a fault but the request's id", async () => {
    const { errors } = await ask(service, {
      query:
        '{ task(hostId: 1, node: "a1", upid: "UPID:a1:00000001:00000001:65000000:qmstart:100:root@pam:") { upid } }',
      token: world.plain,
      headers: { "X-Request-Id": "fault-1" },
    });
    assert.equal(errors?.[0]?.message, "Internal error (request fault-1)");
    assert.equal(errors[0].extensions.code, "INTERNAL_SERVER_ERROR");
  });

  it("takes several operations in one request for no request", async () => {
    const response = await fetch(`${service.origin}/graphql`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${world.plain}` },
      body: JSON.stringify([{ query: "{ __typename }" }]),
    });
    assert.equal(response.status, 400);
  });

  const bodies: [string, string, number][] = [
    ["broken JSON", "{", 400],
    ["a body above 1 MiB", JSON.stringify({ query: `{ __typename } #${"x".repeat(1024 * 1024)}` }), 413],
  ];
  for (const [name, body, status] of bodies) {
    it(`refuses ${name} with ${status}`, async () => {
      const headers = { "Content-Type": "application/json", Authorization: `Bearer ${world.plain}` };
      const response = await fetch(`${service.origin}/graphql`, { method: "POST", headers, body });
      assert.equal(response.status, status);
      assert.match(await response.text(), /"code":"BAD_REQUEST"/);
    });
  }

  it("answers queries by GET when a token is sent, and no mutation-like request of a foreign page", async () => {
    const url = `${service.origin}/graphql?query={__typename}`;
    const own = await fetch(url, { headers: { Authorization: `Bearer ${world.plain}` } });
    assert.deepEqual(await own.json(), { data: { __typename: "Query" } });
    const foreign = await fetch(url);
    assert.equal(foreign.status, 400);
  });

  it("has the frame of GraphiQL, without an origin, a network, or a script but the one in it", async () => {
    const response = await fetch(`${service.origin}/graphql/graphiql`);
    const page = await response.text();
    const [, script = ""] = /<script>(.*)<\/script>/s.exec(page) ?? [];
    assert.match(script, /renderYogaGraphiQL/);
    const hash = createHash("sha256").update(script).digest("base64");
    const policy = response.headers.get("content-security-policy") ?? "";
    assert.ok(policy.startsWith(`sandbox allow-scripts; default-src 'none'; script-src 'sha256-${hash}'; `), policy);
    assert.match(policy, /; frame-ancestors 'self'$/);
    assert.doesNotMatch(policy, /connect-src|unsafe-eval|https?:/);
    assert.equal(response.headers.get("x-frame-options"), "SAMEORIGIN");
  });

  it("sends the frame of GraphiQL once to a browser that keeps it", async () => {
    const first = await fetch(`${service.origin}/graphql/graphiql`);
    await first.arrayBuffer();
    const headers = { "If-None-Match": first.headers.get("etag") ?? "" };
    const again = await fetch(`${service.origin}/graphql/graphiql`, { headers });
    assert.equal(again.status, 304);
    assert.equal(again.headers.get("content-security-policy"), first.headers.get("content-security-policy"));
  });

  it("has logged what changes something, once, when its answer comes", async () => {
    const logged = async (): Promise<unknown> =>
      (await service.services.pool.query("select status::int from request_log where token_name = 'changer'")).rows;
    const { value: token } = await storeToken(service.services.pool, { name: "changer" });
    await ask(service, { query: "mutation { deleteUser(id: 99) }", token });
    assert.deepEqual(await logged(), [{ status: 200 }]);
    await service.requestLog.flush();
    assert.deepEqual(await logged(), [{ status: 200 }]);
  });

  it("logs each request with its token and status", async () => {
    await ask(service, { query: "{ __typename }", token: world.manager });
    await ask(service, { query: "{ __typename }", token: `drv_${"y".repeat(43)}` });
    await service.requestLog.flush();
    const { data } = await ask(service, {
      query: '{ requestLog(filter: { path: "/graphql" }, perPage: 2) { items { tokenName method path status } } }',
      token: world.manager,
    });
    assert.deepEqual(data, {
      requestLog: {
        items: [
          { tokenName: null, method: "POST", path: "/graphql", status: 401 },
          { tokenName: "manager", method: "POST", path: "/graphql", status: 200 },
        ],
      },
    });
  });
});
