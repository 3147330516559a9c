// Which requests are written to the request log one by one, and which are only counted.
import assert from "node:assert/strict";
import { agentCaller, sourceCaller, type Caller } from "../../../src/access/admission/caller.js";
import { SampledLog } from "../../../src/access/admission/sampledLog.js";
import { RequestLog, type LoggedRequest } from "../../../src/access/requestLog.js";
import { requestsUnlogged } from "../../../src/observability/metrics.js";
import { createTestDatabase, type TestDatabase } from "../../support/database.js";
import { keptLog, silentLog } from "../../support/log.js";

const unlogged = async (): Promise<number> => (await requestsUnlogged.get()).values[0]?.value ?? 0;

describe("access/admission/sampledLog", () => {
  let database: TestDatabase;
  let present: Date;
  let lines: readonly string[];
  let requestLog: RequestLog;
  let log: SampledLog;
  before(async () => {
    database = await createTestDatabase();
  });
  beforeEach(async () => {
    await database.pool.query("truncate request_log");
    present = new Date("2026-11-21T12:00:10Z");
    requestLog = new RequestLog({ pool: database.pool, log: silentLog });
    const kept = keptLog();
    ({ lines } = kept);
    log = new SampledLog({ requestLog, clock: { offsetSeconds: 0, now: () => present }, log: kept.log });
  });
  afterEach(() => requestLog.close());
  after(() => database.close());

  const row = (status: number): LoggedRequest => ({
    at: present,
    tokenId: null,
    tokenName: null,
    sourceIp: "192.0.2.1",
    method: "GET",
    path: "/graphql",
    status,
    durationMs: 1,
  });
  const send = (caller: Caller, status: number, count: number): void => {
    for (let sent = 0; sent < count; sent++) log.record(caller, row(status));
  };
  const passMinute = (): void => {
    present = new Date(present.getTime() + 60_000);
  };
  const written = async (): Promise<number> => {
    await requestLog.flush();
    const { rows } = await database.pool.query<{ count: number }>("select count(*) from request_log");
    return rows[0]?.count ?? 0;
  };

  it("writes every request of known callers, save for refusals without end", async () => {
    send(agentCaller(1), 200, 100);
    assert.equal(await written(), 100);
    send(agentCaller(1), 429, 100);
    send(agentCaller(2), 503, 100);
    assert.equal(await written(), 160);
  });

  it("writes thirty a minute of an unknown caller, and counts the others", async () => {
    const before = await unlogged();
    send(sourceCaller("2001:db8::1"), 401, 100);
    send(sourceCaller("2001:db8::2"), 401, 100);
    send(sourceCaller("192.0.2.1"), 401, 1);
    assert.equal(await written(), 31);
    assert.equal((await unlogged()) - before, 170);
    passMinute();
    send(sourceCaller("192.0.2.1"), 401, 100);
    assert.equal(await written(), 61);
  });

  it("writes six hundred a minute of unknown callers in all", async () => {
    for (let source = 0; source < 1_000; source++) send(sourceCaller(`10.0.${source >> 8}.${source & 255}`), 401, 1);
    assert.equal(await written(), 600);
  });

  it("has a line of each minute in which requests were only counted, when the next one begins", async () => {
    const caller = sourceCaller("192.0.2.1");
    const reported: number[] = [];
    for (const sent of [31, 30, 100, 1]) {
      send(caller, 401, sent);
      reported.push(lines.length);
      passMinute();
    }
    assert.deepEqual(reported, [0, 1, 1, 2]);
    assert.match(lines.join("\n"), /^(warn: requests were counted, but not logged one by one\n?){2}$/);
  });

  it("writes the row of a changing request before its answer, while it is one of those", async () => {
    await log.recordAnswer(sourceCaller("192.0.2.1"), row(401));
    const { rowCount } = await database.pool.query("select from request_log");
    assert.equal(rowCount, 1);
  });
});
