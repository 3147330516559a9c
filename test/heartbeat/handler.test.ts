// The handler of heartbeats as HTTP: spellings of the path, methods, bodies in every form, what is logged, counted and answered when something fails.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { mock } from "node:test";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { Pool } from "pg";
import { RequestLog } from "../../src/access/requestLog.js";
import { HeartbeatHandler } from "../../heartbeat/handler.js";
import { httpRequests } from "../../src/observability/metrics.js";
import { admissionOf, agentsOnly } from "../support/admission.js";
import { eventually } from "../support/eventually.js";
import { HEARTBEAT, knockAt, startAgentService, type AgentService } from "./support/agents.js";
import { until } from "../support/until.js";

const PATH = "/api/v1/agent/heartbeat";
const HOUR_MS = 3_600_000;
const JSON_TYPE = { "Content-Type": "application/json" };
const BODY = JSON.stringify(HEARTBEAT);

/** What a request has besides or instead of what all have. */
type Sent = Omit<RequestInit, "headers"> & { readonly headers?: Readonly<Record<string, string>> };

describe("heartbeat, over HTTP", () => {
  let agents: AgentService;
  let token: string;
  beforeEach(async () => {
    agents = await startAgentService();
    token = await agents.agentOf("pve1");
  });
  afterEach(() => agents.close());

  const origin = (): string => new URL(agents.url).origin;
  const authorization = (): Record<string, string> => ({ Authorization: `Bearer ${token}` });
  const send = (path: string, { headers, ...more }: Sent = {}): Promise<Response> =>
    fetch(origin() + path, {
      method: "POST",
      headers: { ...authorization(), ...JSON_TYPE, ...headers },
      body: BODY,
      ...more,
    });
  const logged = async (): Promise<unknown[]> =>
    (await agents.services.pool.query("select method, path, status, source_ip from request_log order by at, id")).rows;
  const isSeen = async (): Promise<boolean> => {
    const { rows } = await agents.services.pool.query("select last_seen_at is not null as seen from agent");
    return rows[0]?.seen;
  };
  /** Opens a connection, sends the head of a beat, and waits until the service asks for the body. */
  const opened = async (headers: Record<string, string | number>, path = PATH): Promise<Socket> => {
    const { hostname, port } = new URL(agents.url);
    const socket = connect({ host: hostname, port: Number(port) });
    const all = { Host: "drover", ...authorization(), ...JSON_TYPE, Connection: "close", ...headers };
    const lines = Object.entries({ ...all, Expect: "100-continue" }).map(([name, value]) => `${name}: ${value}`);
    socket.write(`POST ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
    const [asked] = await once(socket, "data");
    assert.match(String(asked), /^HTTP\/1\.1 100 Continue/);
    return socket;
  };

  describe("is found", () => {
    for (const path of [
      PATH,
      `${PATH}?`,
      `${PATH}?later=parameter`,
      `${PATH}/`,
      `${PATH}/?wait=0`,
      PATH.toUpperCase(),
    ]) {
      it(`at ${path}, and logged and counted once`, async () => {
        const before = await counted("POST", 200);
        const answer = await send(path, { headers: { "X-Request-Id": "beat-1" } });
        assert.equal(answer.status, 200);
        assert.equal(answer.headers.get("x-request-id"), "beat-1");
        assert.equal(answer.headers.get("content-type"), "application/json; charset=utf-8");
        const body = await answer.text();
        assert.equal(answer.headers.get("content-length"), String(Buffer.byteLength(body)));
        assert.deepEqual(await logged(), [{ method: "POST", path: PATH, status: 200, source_ip: "127.0.0.1" }]);
        await eventually(async () => assert.equal(await counted("POST", 200), before + 1));
      });
    }

    it("where a proxy names the whole address", async () => {
      const socket = await opened({ "Content-Length": BODY.length }, agents.url);
      socket.write(BODY);
      assert.equal(await statusOf(socket), 200);
    });

    it("nowhere else", async () => {
      for (const path of [`${PATH}s`, `${PATH}//`, `${PATH}/more`, `${PATH}%2F`, "/api/v1/agent"]) {
        assert.equal((await send(path)).status, 401, path);
      }
      assert.equal(await isSeen(), false);
    });
  });

  for (const method of ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]) {
    it(`refuses ${method}, and first of all strangers`, async () => {
      const request = { method, body: null };
      const refused = await send(PATH, request);
      assert.deepEqual([refused.status, refused.headers.get("allow")], [405, "POST"]);
      assert.equal((await refused.text()) === "", method === "HEAD");
      const stranger = await send(PATH, { ...request, headers: { Authorization: "Bearer nobody" } });
      assert.deepEqual([stranger.status, stranger.headers.get("www-authenticate")], [401, "Bearer"]);
      const line = { method, path: PATH, source_ip: "127.0.0.1" };
      assert.deepEqual(await logged(), [
        { ...line, status: 405 },
        { ...line, status: 401 },
      ]);
    });
  }

  describe("takes a body", () => {
    it("that comes after its head, and in pieces", async () => {
      await agents.beat(token);
      const socket = await opened({ "Content-Length": BODY.length });
      socket.write(BODY.slice(0, 10));
      socket.write(BODY.slice(10));
      assert.equal(await statusOf(socket), 200);
    });

    it("whose size is not announced before", async () => {
      const socket = await opened({ "Transfer-Encoding": "chunked" });
      socket.write(`${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`);
      assert.equal(await statusOf(socket), 200);
    });

    it("that is compressed, or in another of Unicode's encodings", async () => {
      const compressed = await send(PATH, { body: gzipSync(BODY), headers: { "Content-Encoding": "gzip" } });
      assert.equal(compressed.status, 200);
      const headers = { "Content-Type": "application/json; charset=utf-16le" };
      assert.equal((await send(PATH, { body: Buffer.from(BODY, "utf16le"), headers })).status, 200);
    });

    it("with a byte order mark, and with bytes that are no UTF-8 in its text", async () => {
      const spoilt = Buffer.from(`\ufeff${JSON.stringify({ ...HEARTBEAT, problems: ["?"] })}`);
      spoilt[spoilt.indexOf("?")] = 0xff;
      assert.equal((await send(PATH, { body: spoilt })).status, 200);
      const { rows } = await agents.services.pool.query("select problems from agent");
      assert.deepEqual(rows, [{ problems: ["\ufffd"] }]);
    });

    it("of exactly 1 MiB, and none that is larger, however it comes", async () => {
      assert.equal((await send(PATH, { body: filled(1024 ** 2) })).status, 200);
      const larger = filled(1024 ** 2 + 1);
      const refused = await send(PATH, { body: larger });
      assert.deepEqual([refused.status, JSON.parse(await refused.text()).success], [413, false]);
      const socket = await opened({ "Transfer-Encoding": "chunked" });
      socket.write(`${larger.length.toString(16)}\r\n${larger}\r\n0\r\n\r\n`);
      assert.equal(await statusOf(socket), 413);
      const bomb = await send(PATH, { body: gzipSync(larger), headers: { "Content-Encoding": "gzip" } });
      assert.equal(bomb.status, 413);
    });

    it("that is missing for one without fields", async () => {
      const empty = await send(PATH, { body: "" });
      assert.equal(empty.status, 422);
      assert.match(await empty.text(), /agent_version: is required; healthy: is required/);
    });
  });

  describe("refuses with 422", () => {
    for (const [what, body, headers] of [
      ["broken JSON", "{", {}],
      ["JSON that is no object", "null", {}],
      ["bytes that are not compressed as they say", BODY, { "Content-Encoding": "gzip" }],
      ["an encoding that nobody knows", BODY, { "Content-Encoding": "secret" }],
      ["another content type", BODY, { "Content-Type": "text/plain" }],
    ] as const) {
      it(what, async () => {
        const answer = await send(PATH, { body, headers });
        assert.equal(answer.status, 422);
        const { success, data, error } = JSON.parse(await answer.text());
        assert.deepEqual([success, data, typeof error], [false, null, "string"]);
        assert.deepEqual(await logged(), [{ method: "POST", path: PATH, status: 422, source_ip: "127.0.0.1" }]);
      });
    }
  });

  it("is not noted, but logged, when the sender leaves in the middle of it", async () => {
    const socket = await opened({ "Content-Length": BODY.length });
    socket.write(BODY.slice(0, 10));
    socket.destroy();
    await eventually(async () =>
      assert.deepEqual(await logged(), [{ method: "POST", path: PATH, status: 400, source_ip: "127.0.0.1" }]),
    );
    assert.equal(await isSeen(), false);
  });

  it("logs how long it took, the wait for work included", async () => {
    await agents.beat(token);
    const waits = agents.beat(token, { query: "?wait=0.2" });
    await until("it waits", () => agents.handler.waiting === 1);
    const now = performance.now.bind(performance);
    const clock = mock.method(performance, "now", () => now() + HOUR_MS);
    agents.time.move(200);
    await waits;
    clock.mock.restore();
    const { rows } = await agents.services.pool.query("select duration_ms as ms from request_log order by at");
    const [short, long] = rows.map(({ ms }) => ms);
    assert.ok(short > 0 && short < HOUR_MS && long >= HOUR_MS, JSON.stringify(rows));
  });

  describe("with other parts", () => {
    const unreachable = new Pool({ host: "127.0.0.1", port: 1 });
    after(() => unreachable.end());

    it("reports that the node went away meanwhile", async () => {
      const { pool } = agents.services;
      const { status, body } = await answerWith(agents.services, { pool, agentNodeId: () => Promise.resolve(2) });
      assert.deepEqual([status, JSON.parse(body).success], [404, false]);
      assert.deepEqual(await logged(), [{ method: "POST", path: PATH, status: 404, source_ip: "127.0.0.1" }]);
    });

    it("reports that the database cannot be reached", async () => {
      const { status, body } = await answerWith(agents.services, {
        pool: unreachable,
        agentNodeId: () => Promise.resolve(1),
      });
      assert.deepEqual([status, JSON.parse(body).success], [503, false]);
      assert.deepEqual(await logged(), [{ method: "POST", path: PATH, status: 503, source_ip: "127.0.0.1" }]);
    });

    it("reports nothing of what a fault was", async () => {
      const { status, body } = await answerWith(agents.services, { pool: unreachable, agentNodeId: secretFault });
      assert.equal(status, 500);
      assert.match(JSON.parse(body).error, /^Internal error \(request [\w-]+\)$/);
      assert.deepEqual(await logged(), [{ method: "POST", path: PATH, status: 500, source_ip: "127.0.0.1" }]);
    });
  });
});

const filled = (size: number): string => BODY + " ".repeat(size - BODY.length);

const statusOf = async (socket: Socket): Promise<number> => Number((await text(socket)).split(" ")[1]);

/** Requests answered so far, by this process. */
const counted = async (method: string, status: number): Promise<number> => {
  const { values } = await httpRequests.get();
  const isMeant = ({ labels }: (typeof values)[number]): boolean =>
    labels.method === method && labels.route === PATH && labels.status === status;
  return values.find(isMeant)?.value ?? 0;
};

const secretFault = () => Promise.reject(new Error("a secret"));

/** How a handler with these parts in place of its own answers a heartbeat. */
const answerWith = async (
  all: AgentService["services"],
  parts: { readonly pool: Pool; readonly agentNodeId: () => Promise<number> },
) => {
  const requestLog = new RequestLog(all);
  const services = { ...all, pool: parts.pool };
  const access = agentsOnly(parts.agentNodeId);
  const handler = new HeartbeatHandler({ services, admission: admissionOf(services, { access, requestLog }) });
  const server = createServer(handler.answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const answer = await knockAt(`http://127.0.0.1:${port}${PATH}`, `dra_${"x".repeat(43)}`);
  const body = await answer.text();
  await Promise.all([handler.close(), requestLog.close()]);
  server.close();
  server.closeAllConnections();
  return { status: answer.status, body };
};
