// The whole service in one process: health, metrics, first start, and an end that leaves nothing behind.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { verifyPassword } from "../../../src/access/password.js";
import { readConfig, type Config } from "../../../src/config/config.js";
import { startService, type Service } from "../../../app/service.js";
import { eventually } from "../../support/eventually.js";
import { createTestDatabase, type TestDatabase } from "../../support/database.js";
import { silentLog } from "../../support/log.js";
import { storeToken } from "../../support/tokens.js";

describe("service", () => {
  let database: TestDatabase;
  let config: Config;
  const running: Service[] = [];
  const started = async (changed: Partial<Config> = {}): Promise<Service> => {
    const service = await startService({ ...config, ...changed }, silentLog);
    running.push(service);
    return service;
  };
  beforeEach(async () => {
    database = await createTestDatabase();
    const DROVER_SECRET = randomBytes(32).toString("base64");
    config = readConfig({ PORT: "0", DATABASE_URL: database.url, DROVER_SECRET });
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((service) => service.stop()));
    await database.close();
  });

  it("is up and ready, and names its checks", async () => {
    const { url } = await started();
    assert.deepEqual(await (await fetch(`${url}/healthz`)).json(), { status: "up" });
    const ready = await fetch(`${url}/readyz`);
    assert.equal(ready.status, 200);
    assert.deepEqual(await ready.json(), {
      status: "ready",
      checks: { database: "ok", migrations: "ok", queue: "ok", work: "ok" },
    });
  });

  it("is not ready while a schema change is missing", async () => {
    const { url } = await started();
    await database.pool.query("delete from schema_change where name = '0006-queue'");
    const answer = await fetch(`${url}/readyz`);
    assert.equal(answer.status, 503);
    assert.match(await answer.text(), /schema changes are missing: 0006-queue/);
  });

  it("is ready again after the database has dropped every connection", async () => {
    const { url } = await started();
    await database.pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
    let status = 0;
    for (let attempt = 0; attempt < 50 && status !== 200; attempt++) status = (await fetch(`${url}/readyz`)).status;
    assert.equal(status, 200);
  });

  it("counts statements and requests by route", async () => {
    const { url } = await started({ role: "api" });
    const figure = async (pattern: RegExp): Promise<number> => {
      const text = await (await fetch(`${url}/metrics`)).text();
      return Number(pattern.exec(text)?.[1] ?? "0");
    };
    const statements = /^drover_sql_statements_total (\d+)$/m;
    const before = await figure(statements);
    await (await fetch(`${url}/readyz`)).text();
    assert.ok((await figure(statements)) > before);
    const requests = /^drover_http_requests_total\{method="GET",route="\/readyz",status="200"\} (\d+)$/m;
    const answered = await figure(requests);
    await (await fetch(`${url}/readyz`)).text();
    assert.equal(await figure(requests), answered + 1);
  });

  it("answers every request with an id, the caller's own if it is harmless", async () => {
    const { url } = await started({ role: "api" });
    const own = await fetch(`${url}/nothing-here`);
    assert.equal(own.status, 404);
    assert.match(own.headers.get("x-request-id") ?? "", /^[\w-]{36}$/);
    const given = await fetch(`${url}/healthz`, { headers: { "x-request-id": "abc-1" } });
    assert.equal(given.headers.get("x-request-id"), "abc-1");
    const unusable = await fetch(`${url}/healthz`, { headers: { "x-request-id": "a b" } });
    assert.notEqual(unusable.headers.get("x-request-id"), "a b");
  });

  it("answers malformed paths without a fault", async () => {
    const { url } = await started({ role: "api" });
    for (const path of ["/%", "/api/v1/%zz", "/api/v1/hosts/%E0%A4%A", "/metrics/%00"]) {
      const { status } = await fetch(url + path);
      assert.ok(status >= 400 && status < 500, `${path}: ${status}`);
    }
  });

  it("makes the admin once, with a generated or a chosen password", async () => {
    const first = await started({ role: "api" });
    const again = await started({ role: "api", adminPassword: "chosen password" });
    assert.equal(again.firstAdmin, null);
    assert.equal(first.firstAdmin?.username, "admin");
    const { rows } = await database.pool.query<{ hash: string }>("select password_hash as hash from user_account");
    assert.equal(rows.length, 1);
    assert.equal(await verifyPassword(first.firstAdmin.password, rows[0]?.hash ?? null), true);
  });

  it("makes one admin when two processes start at once", async () => {
    const both = await Promise.all([started({ role: "api" }), started({ role: "api" })]);
    assert.equal(both.filter(({ firstAdmin }) => firstAdmin !== null).length, 1);
  });

  it("answers a token at both doors", async () => {
    const { url } = await started({ role: "api" });
    const { value } = await storeToken(database.pool, { name: "t" });
    const headers = { "content-type": "application/json", authorization: `Bearer ${value}` };
    const rest = await fetch(`${url}/api/v1/hosts`, { headers });
    assert.partialDeepStrictEqual(await rest.json(), { success: true, data: [], meta: { total: 0 } });
    const body = JSON.stringify({ query: "{ viewer { apiToken { name } } hosts { meta { total } } }" });
    const graphql = await fetch(`${url}/graphql`, { method: "POST", headers, body });
    assert.deepEqual(await graphql.json(), {
      data: { viewer: { apiToken: { name: "t" } }, hosts: { meta: { total: 0 } } },
    });
  });

  it("ends open subscriptions and waiting agents with itself", async () => {
    const service = await started({ role: "api" });
    const socket = new WebSocket(`${service.url.replace("http", "ws")}/graphql`, "graphql-transport-ws");
    await once(socket, "open");
    const closed = once(socket, "close");
    await service.stop();
    await closed;
  });

  it("as a worker has health but no doors, and makes no admin", async () => {
    const { url, firstAdmin } = await started({ role: "worker" });
    assert.equal(firstAdmin, null);
    assert.equal((await fetch(`${url}/readyz`)).status, 200);
    assert.equal((await fetch(`${url}/api/v1/hosts`)).status, 404);
  });

  it("leaves no connection and no port when it has ended", async () => {
    const service = await started();
    await fetch(`${service.url}/api/v1/hosts`);
    await service.stop();
    // PostgreSQL ends its side of a connection a moment after it was closed.
    await eventually(async () => {
      const { rows } = await database.pool.query(
        "select application_name from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
      );
      assert.deepEqual(rows, []);
    });
    await assert.rejects(fetch(`${service.url}/healthz`));
  });

  it("cannot start on a port that is taken, and reports it", async () => {
    const { url } = await started({ role: "api" });
    const port = Number(new URL(url).port);
    await assert.rejects(startService({ ...config, port }, silentLog), /port \d+ is in use/);
  });

  it("does not start with a wrong password of the database", async () => {
    const wrong = new URL(database.url);
    wrong.password = "wrong";
    await assert.rejects(
      startService({ ...config, databaseUrl: wrong.href }, silentLog),
      /database cannot be used.*password/,
    );
  });
});
