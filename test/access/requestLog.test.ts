// Tests the request log: nothing is lost, nothing is late.
import assert from "node:assert/strict";
import { Pool } from "pg";
import { RequestLog } from "../../src/access/requestLog.js";
import { openPool } from "../../src/db/pool.js";
import { requestLogLost } from "../../src/observability/metrics.js";
import { silentLog } from "../support/log.js";
import { eventually } from "../support/eventually.js";
import { countStatements, untilSent } from "../support/statements.js";
import { createTestServices, fixedClock, type TestServices } from "../support/services.js";
import { loggedPaths, request } from "./support/logged.js";

async function lost(): Promise<number> {
  const { values } = await requestLogLost.get();
  return values[0]?.value ?? 0;
}

/** More than it takes until all of the request log that waits for a write has heard of its end. */
const MOST_TURNS = 20;

interface WatchedWrites {
  readonly pool: Pool;
  /** Whatever rows say that were written. */
  readonly written: ReadonlySet<unknown>;
  /** So many writes were under way at the same time. */
  readonly mostAtOnce: number;
  /** Resolves when the next write ends, before the request log hears of that. */
  nextEnds(): Promise<void>;
}

/** The pool of a request log that has its partition: all that it asks for is to write rows. */
function watchWrites(pool: Pool): WatchedWrites {
  const written = new Set<unknown>();
  let underWay = 0;
  let mostAtOnce = 0;
  let next = Promise.withResolvers<void>();
  const query = async (write: { readonly values: readonly unknown[][] }): Promise<unknown> => {
    mostAtOnce = Math.max(mostAtOnce, ++underWay);
    const result: unknown = await Reflect.apply(pool.query.bind(pool), pool, [write]);
    underWay--;
    for (const value of write.values.flat()) written.add(value);
    next.resolve();
    next = Promise.withResolvers();
    return result;
  };
  return {
    pool: new Proxy(pool, { get: (target, key) => (key === "query" ? query : Reflect.get(target, key)) }),
    written,
    get mostAtOnce() {
      return mostAtOnce;
    },
    nextEnds: () => next.promise,
  };
}

describe("access/requestLog", () => {
  let services: TestServices;
  beforeEach(async () => {
    services = await createTestServices({ clock: fixedClock("2026-11-21T12:00:00Z") });
  });
  afterEach(() => services.close());

  const paths = (): Promise<string[]> => loggedPaths(services);

  it("has written a request when recordNow resolves", async () => {
    const log = new RequestLog(services);
    await log.recordNow(request("/api/v1/hosts"));
    const { rows } = await services.pool.query("select * from request_log");
    const { id, at, ...row } = rows[0];
    assert.equal(id, 1);
    assert.equal(at.toISOString(), "2026-11-21T12:00:00.000Z");
    assert.deepEqual(row, {
      token_id: 7,
      token_name: "shop",
      source_ip: "203.0.113.5",
      method: "GET",
      path: "/api/v1/hosts",
      status: 200,
      duration_ms: 1.25,
    });
    await log.close();
  });

  it("has written the request of an answer, but for one by which the unavailable service did nothing", async () => {
    const log = new RequestLog(services);
    await log.recordAnswer(request("/done"));
    const statements = await countStatements(() => log.recordAnswer({ ...request("/away"), status: 503 }));
    assert.equal(statements, 0, "it is not waited for");
    await log.close();
    assert.deepEqual((await paths()).toSorted(), ["/away", "/done"]);
  });

  it("makes room for each day of its rows, in whichever order they come", async () => {
    const log = new RequestLog(services);
    log.record(request("/later", "2031-03-09T00:00:00Z"));
    log.record(request("/earlier", "2031-03-07T23:59:59Z"));
    await log.flush();
    assert.deepEqual(await paths(), ["/earlier", "/later"]);
    await log.close();
  });

  it("writes what is recorded soon, in one statement", async () => {
    const log = new RequestLog(services);
    await log.recordNow(request("/first"));
    const statements = await countStatements(async () => {
      const written = untilSent(1);
      for (let index = 0; index < 100; index++) log.record(request(`/${index}`));
      await written;
    });
    assert.equal(statements, 1);
    await eventually(async () => assert.equal((await paths()).length, 101));
    await log.close();
  });

  it("lets many who must wait share a statement, and loses none", async () => {
    const log = new RequestLog(services);
    await log.recordNow(request("/first"));
    const statements = await countStatements(() =>
      Promise.all(Array.from({ length: 500 }, (_, index) => log.recordNow(request(`/${index}`)))),
    );
    assert.equal((await paths()).length, 501);
    assert.ok(statements <= 3, `${statements} statements`);
    await log.close();
  });

  it("begins no write beside another, in whichever turn of promises after one a caller asks", async () => {
    const parts = { pool: services.pool, log: silentLog };
    const log = new RequestLog(parts);
    await log.recordNow(request("/before"));
    const writes = watchWrites(services.pool);
    parts.pool = writes.pool;
    const ask = async (path: string): Promise<void> => {
      log.record(request(path));
      await log.flush();
      assert.ok(writes.written.has(path), `${path} was not written when that was told`);
    };
    for (let turns = 0; turns <= MOST_TURNS; turns++) {
      const asked = [ask(`/first/${turns}`), ask(`/second/${turns}`)];
      await writes.nextEnds();
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      await Promise.all([...asked, ask(`/${turns} turns after a write`)]);
    }
    assert.equal(writes.mostAtOnce, 1);
    await log.close();
  });

  it("writes the rest when it is closed", async () => {
    const log = new RequestLog(services);
    log.record(request("/last"));
    await log.close();
    assert.deepEqual(await paths(), ["/last"]);
  });

  describe("while the database is away", () => {
    let away = false;
    const unreachable = new Pool({ host: "127.0.0.1", port: 1 });
    const parts = {
      log: silentLog,
      get pool() {
        return away ? unreachable : services.pool;
      },
    };
    after(() => unreachable.end());

    it("keeps rows and writes them when it is back", async () => {
      const log = new RequestLog(parts);
      await log.recordNow(request("/before"));
      away = true;
      await log.recordNow(request("/during"));
      away = false;
      await log.recordNow(request("/after"));
      assert.deepEqual(await paths(), ["/before", "/during", "/after"]);
      await log.close();
    });

    it("gives up the oldest rows when too many wait, and counts them", async () => {
      const log = new RequestLog(parts);
      const before = await lost();
      away = true;
      for (let index = 0; index < 20_005; index++) log.record(request(`/${index}`));
      await log.flush();
      away = false;
      await log.flush();
      const { rows } = await services.pool.query(
        "select count(*) as n, min(substr(path, 2)::int) as first from request_log",
      );
      assert.deepEqual(rows, [{ n: 20_000, first: 5 }]);
      assert.equal((await lost()) - before, 5);
      await log.close();
    });

    it("counts what it cannot write before it ends", async () => {
      const log = new RequestLog(parts);
      const before = await lost();
      away = true;
      log.record(request("/last"));
      await log.close();
      away = false;
      assert.equal((await lost()) - before, 1);
    });
  });

  it("keeps rows that the database takes too long for", async () => {
    const patience = { connectMs: 120_000, statementMs: 1_000 };
    const pool = openPool({ url: services.database.url, purpose: "test", size: 2, log: silentLog, patience });
    const log = new RequestLog({ pool, log: silentLog });
    const blocker = await services.pool.connect();
    await blocker.query("begin; lock table request_log in access exclusive mode");
    await log.recordNow(request("/slow"));
    await blocker.query("commit");
    blocker.release();
    await eventually(async () => {
      await log.flush();
      assert.deepEqual(await paths(), ["/slow"]);
    });
    await log.close();
    await pool.end();
  });

  it("shows no token that a client put into a path, and bounds the path's length", async () => {
    const log = new RequestLog(services);
    await log.recordNow(request(`/hosts/drv_${"a".repeat(43)}/nodes`));
    await log.recordNow(request(`/${"x".repeat(5000)}`));
    const [first, second] = await paths();
    assert.equal(first, "/hosts/[token]/nodes");
    assert.equal(second?.length, 2000);
    await log.close();
  });
});
