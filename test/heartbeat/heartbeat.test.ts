// Heartbeats: which agents are admitted, what is kept of a heartbeat, and what is refused.
import assert from "node:assert/strict";
import { REQUIRED_AGENT_VERSION } from "../../src/core/version.js";
import { countStatements } from "../support/statements.js";
import { HEARTBEAT, knockAt, startAgentService, type AgentService } from "./support/agents.js";

const MANY = Array.from({ length: 500 }, (_, index) => `pve${index + 1}`);

describe("heartbeat", () => {
  let agents: AgentService;
  let token: string;
  before(async () => {
    agents = await startAgentService(MANY);
  });
  after(() => agents.close());
  beforeEach(async () => {
    token = await agents.agentOf("pve1");
  });

  const stored = async (): Promise<Record<string, unknown> | undefined> =>
    (await agents.services.pool.query("select * from agent where node_id = 1")).rows[0];
  const agentOfNode = async (): Promise<Record<string, unknown>> => {
    const url = agents.url.replace("/agent/heartbeat", "/hosts/1/nodes/pve1");
    const answer = await fetch(url, { headers: { authorization: `Bearer ${agents.apiToken}` } });
    const { data }: { data: { agent: Record<string, unknown> } } = JSON.parse(await answer.text());
    return data.agent;
  };

  it("is answered with the node, the interval and the version that is required", async () => {
    const answer = await knockAt(agents.url, token);
    assert.deepEqual(await answer.json(), {
      success: true,
      data: { node: "pve1", interval_seconds: 15, required_version: REQUIRED_AGENT_VERSION, jobs: [] },
      error: null,
    });
  });

  it("is kept: health, problems, address, version", async () => {
    await agents.beat(token, { body: { ...HEARTBEAT, healthy: false, problems: ["nft is missing"] } });
    const { token_hash: _, last_seen_at: seen, ...row } = (await stored()) ?? {};
    assert.ok(seen instanceof Date && Math.abs(seen.getTime() - Date.now()) < 60_000);
    assert.deepEqual(row, {
      node_id: 1,
      version: "1.0.0",
      healthy: false,
      problems: ["nft is missing"],
      nat_configured: true,
      public_address: "203.0.113.4",
    });
  });

  it("makes the agent current for 180 seconds", async () => {
    await agents.beat(token);
    const seen = (await stored())?.["last_seen_at"];
    assert.ok(seen instanceof Date);
    const agent = { version: "1.0.0", current: true, healthy: true, last_seen_at: seen.toISOString() };
    assert.deepEqual(await agentOfNode(), agent);
    agents.clock.shift(179);
    assert.deepEqual(await agentOfNode(), agent);
    agents.clock.shift(2);
    assert.deepEqual(await agentOfNode(), { ...agent, current: false });
    await agents.beat(token, { body: { ...HEARTBEAT, agent_version: "0.9.0" } });
    const { current, version } = await agentOfNode();
    assert.deepEqual([version, current], ["0.9.0", false], "an old version is not current");
  });

  it("takes what is left out as unknown", async () => {
    const { protocol, agent_version, healthy } = HEARTBEAT;
    await agents.beat(token, { body: { protocol, agent_version, healthy, cpu_usage: null, later: "field" } });
    const row = await stored();
    assert.deepEqual([row?.["public_address"], row?.["nat_configured"], row?.["problems"]], [null, false, []]);
  });

  it("takes null as left out", async () => {
    await agents.beat(token);
    await agents.beat(token, { body: { ...HEARTBEAT, problems: null, nat_configured: null, results: null } });
    const row = await stored();
    assert.deepEqual([row?.["nat_configured"], row?.["problems"]], [false, []]);
  });

  it("may spell numbers and truth values as text", async () => {
    await agents.beat(token, {
      body: { ...HEARTBEAT, protocol: "1", healthy: "false", memory_mb: "65536", cpu_usage: "0.31" },
    });
    assert.equal((await stored())?.["healthy"], false);
    const refused = await knockAt(agents.url, token, { body: { ...HEARTBEAT, healthy: "yes", memory_mb: "many" } });
    assert.equal(refused.status, 422);
    assert.match(await refused.text(), /healthy: .*memory_mb: /);
  });

  it("may come as a form", async () => {
    const id = "01234567-89ab-4cde-8f01-23456789abcd";
    const form = new URLSearchParams([
      ...Object.entries(HEARTBEAT).flatMap(([name, value]): [string, string][] =>
        Array.isArray(value) ? [] : [[name, String(value)]],
      ),
      ["problems", "nft is missing"],
      ["problems", "the disk is full"],
      ["results", JSON.stringify([{ id, status: "done" }])],
    ]);
    form.set("public_address", "");
    await agents.beat(token, { form });
    const row = await stored();
    assert.deepEqual(row?.["problems"], ["nft is missing", "the disk is full"]);
    assert.equal(row?.["public_address"], null);
    const refused = await knockAt(agents.url, token, { form: new URLSearchParams({ results: "[" }) });
    assert.match(await refused.text(), /protocol: .*agent_version: .*healthy: .*results: /);
  });

  it("cuts what is too long or cannot be stored, rather than to lose the agent", async () => {
    await agents.beat(token, { body: { ...HEARTBEAT, problems: ["x".repeat(5000), "a\0b\ud800"] } });
    const problems = (await stored())?.["problems"];
    assert.deepEqual(problems, ["x".repeat(2000), "ab\ufffd"]);
  });

  it("is for the node's own agent only", async () => {
    for (const wrong of [null, agents.apiToken, `dra_${"x".repeat(43)}`, "nonsense"]) {
      const answer = await knockAt(agents.url, wrong);
      assert.equal(answer.status, 401);
      assert.deepEqual(Object.keys(JSON.parse(await answer.text())), ["error"]);
    }
    const { rows } = await agents.services.pool.query(
      "select method, path, token_id, status from request_log order by at desc limit 1",
    );
    assert.deepEqual(rows, [{ method: "POST", path: "/api/v1/agent/heartbeat", token_id: null, status: 401 }]);
    const elsewhere = await fetch(agents.url.replace("/agent/heartbeat", "/hosts"), {
      headers: { authorization: `Bearer ${token}` },
    });
    assert.equal(elsewhere.status, 401);
  });

  it("refuses a token at once when it was replaced", async () => {
    await agents.beat(token);
    const newer = await agents.agentOf("pve1");
    let status = (await knockAt(agents.url, token)).status;
    const deadline = performance.now() + 10_000;
    while (status !== 401 && performance.now() < deadline) status = (await knockAt(agents.url, token)).status;
    assert.equal(status, 401);
    await agents.beat(newer);
  });

  const malformed: readonly { name: string; body: object | string; words: RegExp }[] = [
    { name: "no object", body: [], words: /body: / },
    { name: "nothing", body: {}, words: /protocol: .*agent_version: .*healthy: / },
    { name: "another protocol", body: { ...HEARTBEAT, protocol: 2 }, words: /protocol: must be 1/ },
    { name: "a version that is none", body: { ...HEARTBEAT, agent_version: "new" }, words: /agent_version: / },
    {
      name: "a version out of range",
      body: { ...HEARTBEAT, agent_version: "99999999999.0.0" },
      words: /agent_version: /,
    },
    { name: "text for a truth", body: { ...HEARTBEAT, healthy: "yes" }, words: /healthy: / },
    { name: "more than all of the CPU", body: { ...HEARTBEAT, cpu_usage: 1.01 }, words: /cpu_usage: / },
    { name: "negative memory", body: { ...HEARTBEAT, memory_used_mb: -1 }, words: /memory_used_mb: / },
    { name: "memory beyond counting", body: { ...HEARTBEAT, memory_mb: 2 ** 31 }, words: /memory_mb: / },
    {
      name: "a name for an address",
      body: { ...HEARTBEAT, public_address: "pve1.example" },
      words: /public_address: /,
    },
    { name: "results that are none", body: { ...HEARTBEAT, results: [{ id: 7 }] }, words: /results\.0\.id: / },
    { name: "a version with NUL", body: { ...HEARTBEAT, agent_version: "1.0.0\0" }, words: /agent_version: / },
    {
      name: "a version in broken Unicode",
      body: { ...HEARTBEAT, agent_version: "1.0.0\ud800" },
      words: /agent_version: /,
    },
    { name: "data with NUL", body: withData({ a: ["\0"] }), words: /results\.0\.data: / },
    { name: "data with half a character", body: withData({ "\udc00": 1 }), words: /results\.0\.data: / },
    {
      name: "data of many values",
      body: withData({ a: Array(300).fill(1) }),
      words: /results\.0\.data: .* 200 values/,
    },
    { name: "data of many characters", body: withData({ a: "x".repeat(9_000) }), words: /results\.0\.data: .* 8192/ },
    {
      name: "data without bottom",
      body: bottomless(50_000),
      words: /data: /,
    },
  ];
  for (const { name, body, words } of malformed) {
    it(`refuses ${name}`, async () => {
      const answer = await knockAt(agents.url, token, { body });
      const { success, data, error } = JSON.parse(await answer.text());
      assert.deepEqual([answer.status, success, data], [422, false, null]);
      assert.match(String(error), words);
    });
  }

  it("reports in plain words what is wrong, and with which field", async () => {
    const { protocol: _, ...rest } = HEARTBEAT;
    const results = [{ id: 7, status: "perhaps" }];
    const body = { ...rest, healthy: "yes", cpu_usage: 1.5, memory_mb: 0.5, public_address: "here", results };
    const answer = await knockAt(agents.url, token, { body });
    assert.equal(
      JSON.parse(await answer.text()).error,
      "protocol: must be 1; healthy: must be true or false; public_address: must be an IP address; " +
        "cpu_usage: must be at most 1; memory_mb: must be a whole number; results.0.id: must be text; " +
        "results.0.status: must be done or failed",
    );
    assert.equal(
      JSON.parse(await (await knockAt(agents.url, token, { body: "[]" })).text()).error,
      "body: must be an object",
    );
  });

  it("refuses what is no JSON, what is too large, and other methods", async () => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const send = (request: RequestInit) => fetch(agents.url, { method: "POST", headers, ...request });
    assert.equal((await send({ body: "{" })).status, 422);
    assert.equal((await send({ body: "a=b", headers: { ...headers, "content-type": "text/plain" } })).status, 422);
    assert.equal(
      (await send({ body: "{}", headers: { ...headers, "content-type": "application/json; charset=x" } })).status,
      422,
    );
    assert.equal((await send({ body: JSON.stringify({ a: "x".repeat(1024 ** 2) }) })).status, 413);
    const got = await send({ method: "GET" });
    assert.deepEqual([got.status, got.headers.get("allow")], [405, "POST"]);
  });

  it("refuses large heartbeats of one node without end, and no others", async () => {
    const other = await agents.agentOf(MANY[1] ?? "");
    const body = JSON.stringify(HEARTBEAT).padEnd(1024 ** 2);
    const flood = Promise.all(Array.from({ length: 50 }, () => knockAt(agents.url, token, { body })));
    await agents.beat(other);
    const statuses = (await flood).map(({ status }) => status);
    assert.ok(statuses.filter((status) => status === 200).length <= 5, statuses.join(" "));
    assert.ok(
      statuses.every((status) => [200, 429, 503].includes(status)),
      statuses.join(" "),
    );
  });

  it("answers 500 agents at once in a few statements, a node that beats twice included", async () => {
    const tokens = await Promise.all(MANY.map((node) => agents.agentOf(node)));
    const first = tokens[0] ?? "";
    await Promise.all(tokens.map((each) => agents.beat(each)));
    const statements = await countStatements(() => Promise.all([...tokens, first].map((each) => agents.beat(each))));
    const { rows } = await agents.services.pool.query<{ seen: number }>(
      "select count(last_seen_at) as seen from agent",
    );
    assert.equal(rows[0]?.seen, MANY.length);
    // Half of them are look-ups of tokens that were forgotten meanwhile.
    assert.ok(statements < MANY.length * 1.5, String(statements));
  });
});

function withData(data: unknown): object {
  return { ...HEARTBEAT, results: [{ id: "3f2504e0-4f89-41d3-9a0c-0305e82c3301", status: "done", data }] };
}

/** Data of so many levels: more than `JSON.stringify` can write. */
function bottomless(levels: number): string {
  return JSON.stringify(withData("…")).replace('"…"', `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`);
}
