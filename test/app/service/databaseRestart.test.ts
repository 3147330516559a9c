// PostgreSQL restarted under load: the service stays, says that it cannot serve at present, and is back by itself.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import {
  embeddedServerPid,
  eraseEmbeddedPostgres,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from "../../../src/db/embedded.js";
import { silentLog } from "../../support/log.js";
import type { ApiClient } from "./support/client.js";
import { apiClient, Processes, type ServiceProcess } from "./support/processes.js";
import { until } from "../../support/until.js";

const READERS = 8;

describe("a service whose database is restarted", function () {
  this.timeout(400_000);
  let data: string;
  let postgres: EmbeddedPostgres;
  let processes: Processes;
  let service: ServiceProcess;
  let api: ApiClient;
  before(async () => {
    data = await mkdtemp(join(tmpdir(), "drover-restart-"));
    postgres = await startEmbeddedPostgres({ dataDirectory: data, port: 0, log: silentLog, durable: false });
    processes = new Processes({ DATABASE_URL: postgres.url });
    service = await processes.start();
    api = await apiClient(service);
  });
  after(async () => {
    await processes.end();
    await postgres.stop();
    await eraseEmbeddedPostgres(data, silentLog);
    await rm(data, { recursive: true, force: true });
  });

  for (const signal of ["SIGINT", "SIGKILL"] as const) {
    it(`by ${signal}: reads are answered 200 or 503, and 200 again`, async () => {
      const statuses = new Map<number, number>();
      const reading = new AbortController();
      const readers = Array.from({ length: READERS }, () => read(statuses, reading.signal));
      await until("reads are answered", () => (statuses.get(200) ?? 0) > 50);
      process.kill((await embeddedServerPid(data, silentLog)) ?? 0, signal);
      await until("one is refused", () => (statuses.get(503) ?? 0) > 0);
      const before = statuses.get(200) ?? 0;
      await until("reads are answered again", () => (statuses.get(200) ?? 0) > before + 50);
      reading.abort();
      await Promise.all(readers);
      assert.deepEqual(new Set(statuses.keys()), new Set([200, 503]), JSON.stringify([...statuses]));
      await until("it is ready", async () => (await readiness()) === 200);
      await revocationIsHeard();
    });
  }

  it("as a standby that is to take over: reads go on, changes are answered 503, and made afterwards", async () => {
    const administrator = new Client({ connectionString: postgres.url });
    await administrator.connect();
    await administrator.query("set default_transaction_read_only = off");
    const setReadOnly = async (value: "on" | "off"): Promise<void> => {
      await administrator.query(`alter system set default_transaction_read_only = ${value}`);
      await administrator.query("select pg_reload_conf()");
    };
    const change = async () => (await api.rest("POST", "/users", { email: "a@example.com", username: "a" })).status;
    await setReadOnly("on");
    await until("it is not ready", async () => (await readiness()) === 503);
    assert.deepEqual([await change(), (await api.rest("GET", "/hosts")).status], [503, 200]);
    await setReadOnly("off");
    await administrator.end();
    await until("it is ready again", async () => (await readiness()) === 200);
    assert.equal(await change(), 201);
  });

  it("ends cleanly afterwards", async () => {
    assert.equal(await service.program.end("SIGTERM"), 0);
    assert.doesNotMatch(service.program.output(), /nobody caught/);
  });

  const readiness = async (): Promise<number> => (await fetch(`${service.url}/readyz`)).status;

  /** Reads until it is told to stop; every answer has the envelope. */
  async function read(statuses: Map<number, number>, stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const { status, data: hosts, error } = await api.rest("GET", "/hosts");
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status === 200) assert.deepEqual(hosts, []);
      else assert.ok(typeof error === "string" && error.length > 0 && hosts === null);
    }
  }

  /** The connection for announcements is back too. */
  async function revocationIsHeard(): Promise<void> {
    const made = await api.graphql<{ createApiToken: { value: string; token: { id: number } } }>(
      'mutation { createApiToken(input: { name: "short" }) { value token { id } } }',
    );
    const { value, token } = made.createApiToken;
    const bearer = { authorization: `Bearer ${value}` };
    const status = async () => (await fetch(`${service.url}/api/v1/hosts`, { headers: bearer })).status;
    assert.equal(await status(), 200);
    await api.graphql("mutation ($id: Int!) { revokeApiToken(id: $id) { id } }", { id: token.id });
    assert.equal(await status(), 401);
  }
});
