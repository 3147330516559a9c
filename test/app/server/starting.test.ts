// What is answered while the service starts: it is alive, the panel is there, and every door says when to come again.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Health } from "../../../src/observability/health.js";
import { openHttpServer, type HttpServer } from "../../../app/server/httpServer.js";
import { mountDashboard } from "../../../app/server/dashboard.js";
import { silentLog } from "../../support/log.js";

describe("the HTTP server of a service that starts", () => {
  let directory: string;
  let http: HttpServer;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "drover-starting-"));
    await writeFile(join(directory, "index.html"), "<title>a panel</title>");
    http = await openHttpServer({
      bind: "127.0.0.1",
      port: 0,
      health: new Health(),
      log: silentLog,
      leaveMs: 0,
      early: (app) => mountDashboard(app, silentLog, directory),
    });
  });
  after(async () => {
    await http.close();
    await rm(directory, { recursive: true, force: true });
  });

  const ask = (path: string, init: RequestInit = {}) => fetch(http.url + path, init);

  it("is alive, not ready, and reports its figures", async () => {
    assert.equal((await ask("/healthz")).status, 200);
    assert.equal((await ask("/readyz")).status, 503);
    assert.equal((await ask("/metrics")).status, 200);
  });

  it("serves the panel", async () => {
    const page = await ask("/guests", { headers: { accept: "text/html" } });
    assert.deepEqual([page.status, await page.text()], [200, "<title>a panel</title>"]);
  });

  for (const [protocol, transport] of [
    ["https", "max-age=31536000"],
    ["http", null],
    [undefined, null],
  ] as const) {
    it(`has browsers come back over TLS alone after a request over ${protocol ?? "nobody says what"}`, async () => {
      const headers = { accept: "text/html", ...(protocol !== undefined && { "x-forwarded-proto": protocol }) };
      assert.equal((await ask("/", { headers })).headers.get("strict-transport-security"), transport);
    });
  }

  it("refuses requests of REST with 503 and Retry-After, in its envelope", async () => {
    for (const [path, method] of [
      ["/api/v1/hosts", "GET"],
      ["/api/v1/agent/heartbeat", "POST"],
    ] as const) {
      const answer = await ask(path, { method });
      assert.deepEqual([answer.status, answer.headers.get("retry-after")], [503, "2"]);
      assert.deepEqual(await answer.json(), { success: false, data: null, error: "The service is starting" });
    }
  });

  it("refuses operations of GraphQL with 503 and Retry-After, with a code", async () => {
    const answer = await ask("/graphql", { method: "POST", body: "{}" });
    assert.deepEqual([answer.status, answer.headers.get("retry-after")], [503, "2"]);
    assert.deepEqual(await answer.json(), {
      errors: [
        {
          message: "The service is starting",
          extensions: { code: "UNAVAILABLE", reason: "STARTING", retryAfterSeconds: 2 },
        },
      ],
    });
  });
});
