// A service that is started before its database, and one whose database goes away for a while: alive, honest about it, and back by itself.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eraseEmbeddedPostgres, startEmbeddedPostgres, type EmbeddedPostgres } from "../../../src/db/embedded.js";
import { eventually } from "../../support/eventually.js";
import { silentLog } from "../../support/log.js";
import { apiClient, Processes, type ServiceProcess } from "./support/processes.js";
import type { ApiClient } from "./support/client.js";

const PATIENCE_MS = 120_000;

describe("a service and a database that comes and goes", function () {
  this.timeout(400_000);
  let data: string;
  let port: number;
  let postgres: EmbeddedPostgres | null = null;
  let processes: Processes;
  let service: ServiceProcess;
  let api: ApiClient;

  const startDatabase = async (): Promise<void> => {
    postgres = await startEmbeddedPostgres({ dataDirectory: data, port, log: silentLog, durable: false });
  };
  const stopDatabase = async (): Promise<void> => {
    await postgres?.stop();
    postgres = null;
  };
  before(async () => {
    data = await mkdtemp(join(tmpdir(), "drover-graceful-"));
    port = 0;
    await startDatabase();
    const url = postgres?.url ?? "";
    port = Number(new URL(url).port);
    processes = new Processes({ DATABASE_URL: url });
    await stopDatabase();
  });
  after(async () => {
    await processes.end();
    await stopDatabase();
    await eraseEmbeddedPostgres(data, silentLog);
    await rm(data, { recursive: true, force: true });
  });

  const statusOf = async (path: string): Promise<number> => (await fetch(service.url + path)).status;

  async function isAliveWithout(): Promise<void> {
    assert.equal(await statusOf("/healthz"), 200);
    assert.equal(await statusOf("/metrics"), 200);
    assert.equal(await statusOf("/readyz"), 503);
    const rest = await fetch(`${service.url}/api/v1/hosts`, {
      headers: { authorization: `Bearer drv_${"x".repeat(43)}` },
    });
    assert.deepEqual([rest.status, rest.headers.get("retry-after")], [503, "2"]);
    assert.partialDeepStrictEqual(await rest.json(), { success: false, data: null });
    const graphql = await fetch(`${service.url}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer drv_${"x".repeat(43)}` },
      body: '{"query":"{ viewer { hostIds } }"}',
    });
    assert.deepEqual([graphql.status, graphql.headers.get("retry-after")], [503, "2"]);
    assert.partialDeepStrictEqual(await graphql.json(), { errors: [{ extensions: { code: "UNAVAILABLE" } }] });
  }

  it("is alive before the database is, and ready when it is", async () => {
    service = await processes.startListening();
    await isAliveWithout();
    await startDatabase();
    await service.program.printed('"msg":"ready"');
    assert.equal(await statusOf("/readyz"), 200);
    api = await apiClient(service);
    assert.equal((await api.rest("GET", "/hosts")).status, 200);
  });

  it("is alive while the database is away, and back with its subscribers and its work", async () => {
    const kinds = api.subscribe<{ changes: { kind: string } }>("subscription { changes { kind } }");
    const seen = new Set<string>();
    let isLive = false;
    const first = kinds.next().then(() => (isLive = true));
    await eventually(async () => {
      await api.rest("GET", "/hosts");
      assert.ok(isLive, "no news have come");
    }, PATIENCE_MS);
    await first;
    await stopDatabase();
    await eventually(isAliveWithout, PATIENCE_MS);
    await startDatabase();
    await eventually(async () => assert.equal(await statusOf("/readyz"), 200), PATIENCE_MS);
    assert.equal((await api.rest("GET", "/hosts")).status, 200);
    // Only the word that announcements may have been missed tells of all kinds.
    while (!seen.has("RUN")) seen.add((await kinds.next()).value?.changes.kind ?? "");
    await kinds.return(undefined);
  });

  it("ends cleanly while the database is away", async () => {
    await stopDatabase();
    assert.equal(await service.program.end("SIGTERM"), 0);
    assert.doesNotMatch(service.program.output(), /nobody caught/);
  });
});
