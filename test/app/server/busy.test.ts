// A service whose database connections are all in use, or whose statements take too long: it says so in time, at every entrance.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { z } from "zod";
import { newAccessToken } from "../../../src/access/accessToken.js";
import { readConfig, type Config } from "../../../src/config/config.js";
import { REQUEST_CONNECTIONS } from "../../../src/db/database.js";
import { startService, type Service } from "../../../app/service.js";
import { createTestDatabase, type TestDatabase } from "../../support/database.js";
import { eventually } from "../../support/eventually.js";
import { silentLog } from "../../support/log.js";
import { storeToken } from "../../support/tokens.js";

describe("a busy service", () => {
  let database: TestDatabase;
  let service: Service;
  let blocker: Client;
  beforeEach(async () => {
    database = await createTestDatabase();
    blocker = new Client({ connectionString: database.url });
    await blocker.connect();
  });
  afterEach(async () => {
    await blocker.end();
    await service.stop();
    await database.close();
  });

  async function start(limits: Partial<Config["limits"]>): Promise<void> {
    const DROVER_SECRET = randomBytes(32).toString("base64");
    const config = readConfig({ PORT: "0", DATABASE_URL: database.url, DROVER_SECRET, DROVER_ROLE: "api" });
    service = await startService({ ...config, limits: { ...config.limits, ...limits } }, silentLog);
  }

  /** Until its transaction ends, whoever reads the table waits. */
  const block = (table: string) => blocker.query(`begin; lock table ${table} in access exclusive mode`);

  const storedToken = async (): Promise<string> => (await storeToken(database.pool, { name: "t" })).value;

  const rest = (token: string) => fetch(`${service.url}/api/v1/hosts`, { headers: authorization(token) });
  const graphql = (token: string) =>
    fetch(`${service.url}/graphql`, {
      method: "POST",
      headers: authorization(token),
      body: JSON.stringify({ query: "{ hosts { meta { total } items { id } } }" }),
    });
  const heartbeat = (token: string) =>
    fetch(`${service.url}/api/v1/agent/heartbeat`, { method: "POST", headers: authorization(token), body: "{}" });

  it("without a free connection refuses with 503 and Retry-After, and is alive", async () => {
    await start({ databaseWaitMs: 3_000, statementMs: 600_000 });
    const [token, first, second] = [await storedToken(), await storedToken(), await storedToken()];
    await block("host");
    const stuck = Array.from({ length: 2 * REQUEST_CONNECTIONS }, (_, n) => rest(n % 2 === 0 ? first : second));
    await eventually(async () => {
      const { rowCount } = await database.pool.query(
        "select from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())",
      );
      assert.equal(rowCount, REQUEST_CONNECTIONS);
    });
    await Promise.all([
      rest(token).then((response) => refusedByRest(response, /busy/)),
      graphql(token).then((response) => refusedByGraphql(response, "BUSY")),
      heartbeat(newAccessToken("agent").value).then((response) => refusedByRest(response, /busy/)),
    ]);
    for (const path of ["/healthz", "/metrics", "/api/v1/openapi.json"]) {
      assert.equal((await fetch(service.url + path)).status, 200, path);
    }
    assert.equal((await fetch(`${service.url}/readyz`)).status, 503);
    await blocker.query("commit");
    assert.deepEqual(new Set((await Promise.all(stuck)).map(({ status }) => status)), new Set([200, 503]));
    await eventually(async () => assert.equal((await rest(token)).status, 200));
  });

  it("gives up a statement that takes too long, reports it, and has a row in the log for it", async () => {
    await start({ databaseWaitMs: 60_000, statementMs: 2_000 });
    const token = await storedToken();
    await block("host");
    const [byRest, byGraphql] = await Promise.all([rest(token), graphql(token)]);
    await refusedByRest(byRest, /took too long/);
    await refusedByGraphql(byGraphql, "TIMED_OUT");
    await blocker.query("commit");
    await eventually(async () => assert.equal((await rest(token)).status, 200));
    await eventually(async () => {
      const { rows } = await database.pool.query(
        "select distinct path from request_log where status = 503 order by path",
      );
      assert.deepEqual(
        rows.map(({ path }) => path),
        ["/api/v1/hosts", "/graphql"],
      );
    });
  });

  it("with all slots taken refuses before anything is done", async () => {
    await start({ requestsAtOnce: 4, statementMs: 600_000 });
    const token = await storedToken();
    await block("host");
    const [first, second] = [rest(token), graphql(token)];
    await eventually(async () => {
      const { rowCount } = await database.pool.query(
        "select from pg_locks where not granted and relation = 'host'::regclass",
      );
      assert.equal(rowCount, 2);
    });
    const refused = await rest(token);
    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "1"]);
    const alsoRefused = await graphql(token);
    assert.deepEqual([alsoRefused.status, alsoRefused.headers.get("retry-after")], [503, "1"]);
    await blocker.query("commit");
    assert.deepEqual([(await first).status, (await second).status], [200, 200]);
  });
});

const envelope = z.object({ success: z.boolean(), data: z.null(), error: z.string() });

async function refusedByRest(response: Response, message: RegExp): Promise<void> {
  assert.equal(response.status, 503);
  assert.equal(response.headers.get("retry-after"), "2");
  const { error, ...others } = envelope.parse(await response.json());
  assert.deepEqual(others, { success: false, data: null });
  assert.match(error, message);
}

async function refusedByGraphql(response: Response, reason: string): Promise<void> {
  assert.equal(response.status, 503);
  assert.equal(response.headers.get("retry-after"), "2");
  assert.partialDeepStrictEqual(await response.json(), {
    errors: [{ extensions: { code: "UNAVAILABLE", reason, retryAfterSeconds: 2 } }],
  });
}

const authorization = (token: string) => ({ "content-type": "application/json", authorization: `Bearer ${token}` });
