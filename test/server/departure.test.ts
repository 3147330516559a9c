// Callers who leave before they are answered: what was read for them ends, what was to be changed is changed.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { Client } from "pg";
import { WebSocket } from "ws";
import { newBearerToken } from "../../src/access/bearerToken.js";
import { readConfig } from "../../src/config.js";
import { startService, type Service } from "../../src/service.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { eventually } from "../support/eventually.js";
import { silentLog } from "../support/log.js";

/** As many as the service has for requests. */
const CONNECTIONS = 10;
/** Each caller a page of another length: who asks the same shares one statement. */
const hosts = (perPage: number): string => `{ hosts(perPage: ${perPage}) { meta { total } items { id } } }`;
/** Of queries that are the same one is executed for all: each caller gives his a name of its own. */
const balance = (caller: number) => `query Balance${caller} { balanceReport { hotNodes { node } } }`;
const candidates = (caller: number) => `query Of${caller} { evacuationCandidates(hostId: 1) { startable } }`;
const RENAME =
  'mutation { updatePlan(id: 1, input: { name: "renamed", cores: 1, memoryMb: 1024, diskGb: 10 }) { id } }';

describe("a caller who leaves", () => {
  let database: TestDatabase;
  let service: Service;
  let blocker: Client;
  let token: string;
  before(async () => {
    database = await createTestDatabase();
    const DROVER_SECRET = randomBytes(32).toString("base64");
    const config = readConfig({ PORT: "0", DATABASE_URL: database.url, DROVER_SECRET, DROVER_ROLE: "api" });
    const limits = { ...config.limits, statementMs: 600_000, databaseWaitMs: 600_000 };
    service = await startService({ ...config, limits }, silentLog);
    const made = newBearerToken("apiToken");
    token = made.value;
    await database.pool.query(
      "insert into api_token (name, prefix, token_hash, permissions) values ('t', $1, $2, '{hosts.manage}')",
      [made.prefix, made.hash],
    );
    await database.pool.query(
      "insert into host (name, hostname, user_name, secret_encrypted) values ('alpha', 'alpha.example', 'root@pam', 'sealed')",
    );
    await database.pool.query("insert into plan (name, cores, memory_mb, disk_gb) values ('small', 1, 1024, 10)");
  });
  beforeEach(async () => {
    blocker = new Client({ connectionString: database.url });
    await blocker.connect();
  });
  afterEach(() => blocker.end());
  after(async () => {
    await service.stop();
    await database.close();
  });

  /** Until its transaction ends, whoever uses the table waits. */
  const block = (table: string) => blocker.query(`begin; lock table ${table} in access exclusive mode`);
  const untilBlocked = (count: number) =>
    eventually(async () => {
      const { rowCount } = await database.pool.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      assert.equal(rowCount, count);
    });
  const headers = () => ({ "content-type": "application/json", authorization: `Bearer ${token}` });
  const rest = (perPage: number, signal: AbortSignal | null = null) =>
    fetch(`${service.url}/api/v1/hosts?perPage=${perPage}`, { headers: headers(), signal });
  const graphql = (query: string, signal: AbortSignal | null = null) =>
    fetch(`${service.url}/graphql`, { method: "POST", headers: headers(), body: JSON.stringify({ query }), signal });

  /** Ends with the connection, or when it cannot be made any more. */
  const overSocket = async (query: string, signal: AbortSignal): Promise<void> => {
    const socket = new WebSocket(`${service.url.replace("http", "ws")}/graphql`, "graphql-transport-ws");
    signal.addEventListener("abort", () => socket.terminate());
    const closed = once(socket, "close");
    await once(socket, "open");
    socket.send(JSON.stringify({ type: "connection_init", payload: { authorization: `Bearer ${token}` } }));
    await Promise.race([once(socket, "message"), closed]);
    if (!signal.aborted) socket.send(JSON.stringify({ id: "1", type: "subscribe", payload: { query } }));
    await closed;
  };

  const doors: readonly (readonly [string, string, (caller: number, signal: AbortSignal) => Promise<unknown>])[] = [
    ["REST", "host", rest],
    ["GraphQL", "host", (caller, signal) => graphql(hosts(caller), signal)],
    ["GraphQL over WebSocket", "host", (caller, signal) => overSocket(hosts(caller), signal)],
    ["a balance report", "guest", (caller, signal) => graphql(balance(caller), signal)],
    ["candidates for an evacuation", "guest", (caller, signal) => graphql(candidates(caller), signal)],
  ];
  for (const [name, table, ask] of doors) {
    it(`has the statement ended, and makes room for others (${name})`, async () => {
      await block(table);
      const departure = new AbortController();
      // More than there are connections for: some wait for their turn.
      const asked = Array.from({ length: CONNECTIONS + 5 }, (_, index) => ask(index + 1, departure.signal));
      const gone = Promise.allSettled(asked);
      await untilBlocked(CONNECTIONS);
      departure.abort();
      await gone;
      await untilBlocked(0);
      const answered = await graphql("{ plans { meta { total } } }");
      assert.equal(answered.status, 200);
      await blocker.query("commit");
      assert.equal((await rest(1)).status, 200);
    });
  }

  it("gets done what was to be changed", async () => {
    await block("plan");
    const departure = new AbortController();
    const asked = Promise.allSettled([graphql(RENAME, departure.signal)]);
    await untilBlocked(1);
    departure.abort();
    await asked;
    await blocker.query("commit");
    await eventually(async () => {
      assert.deepEqual((await database.pool.query("select name from plan")).rows, [{ name: "renamed" }]);
    });
  });
});
