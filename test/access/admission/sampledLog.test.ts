// Which requests are written to the request log one by one, and which are only counted.
import assert from "node:assert/strict";
import { agentCaller, sourceCaller, type Caller } from "../../../src/access/admission/caller.js";
import { SampledLog } from "../../../src/access/admission/sampledLog.js";
import { RequestLog, type LoggedRequest } from "../../../src/access/requestLog.js";
import { requestsUnlogged } from "../../../src/observability/metrics.js";
import { createTestDatabase, type TestDatabase } from "../../support/database.js";
import { silentLog } from "../../support/log.js";
import { shiftableClock, type ShiftableClock } from "../../support/services.js";

const unlogged = async (): Promise<number> => (await requestsUnlogged.get()).values[0]?.value ?? 0;

describe("access/admission/sampledLog", () => {
  let database: TestDatabase;
  let clock: ShiftableClock;
  let requestLog: RequestLog;
  let log: SampledLog;
  before(async () => {
    database = await createTestDatabase();
  });
  beforeEach(async () => {
    await database.pool.query("truncate request_log");
    clock = shiftableClock();
    // At the beginning of a minute, so that none ends in the middle of a test.
    clock.shift(60 - ((Date.now() / 1000) % 60));
    requestLog = new RequestLog({ pool: database.pool, log: silentLog });
    log = new SampledLog({ requestLog, clock, log: silentLog });
  });
  afterEach(() => requestLog.close());
  after(() => database.close());

  const row = (status: number): LoggedRequest => ({
    at: clock.now(),
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
    clock.shift(60);
    send(sourceCaller("192.0.2.1"), 401, 100);
    assert.equal(await written(), 61);
  });

  it("writes six hundred a minute of unknown callers in all", async () => {
    for (let source = 0; source < 1_000; source++) send(sourceCaller(`10.0.${source >> 8}.${source & 255}`), 401, 1);
    assert.equal(await written(), 600);
  });

  it("writes the row of a changing request before its answer, while it is one of those", async () => {
    await log.recordAnswer(sourceCaller("192.0.2.1"), row(401));
    const { rowCount } = await database.pool.query("select from request_log");
    assert.equal(rowCount, 1);
  });
});
