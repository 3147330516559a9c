// Tests the days of the request log: a partition each, made when it is wanted, dropped when all of it is old.
import assert from "node:assert/strict";
import { RequestLog } from "../../src/access/requestLog.js";
import { ensureRequestLogPartition, pruneRequestLog } from "../../src/store/requestLogPartition.js";
import { eventually } from "../support/eventually.js";
import { plant } from "../support/rows.js";
import { createTestServices, fixedClock, type TestServices } from "../support/services.js";
import { loggedPaths, request } from "../access/support/logged.js";

describe("partitions of the request log", () => {
  let services: TestServices;
  beforeEach(async () => {
    services = await createTestServices({ clock: fixedClock("2026-11-21T12:00:00Z") });
  });
  afterEach(() => services.close());

  const paths = (): Promise<string[]> => loggedPaths(services);

  async function partitions(): Promise<string[]> {
    const { rows } = await services.pool.query<{ name: string }>(
      "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'request_log'::regclass order by 1",
    );
    return rows.map(({ name }) => name);
  }

  it("makes a partition for each day", async () => {
    const log = new RequestLog(services);
    log.record(request("/a", "2026-11-21T23:59:59.999Z"));
    log.record(request("/b", "2026-11-22T00:00:00.000Z"));
    await log.flush();
    assert.deepEqual(await partitions(), ["request_log_20261121", "request_log_20261122", "request_log_rest"]);
    const { rows } = await services.pool.query("select tableoid::regclass::text as name from request_log order by at");
    assert.deepEqual(
      rows.map(({ name }) => name),
      ["request_log_20261121", "request_log_20261122"],
    );
    await log.close();
  });

  it("makes a partition once when many request it, and moves rows of that day into it", async () => {
    await plant(services.pool, {
      request_log: [
        { at: new Date("2026-11-21T10:00Z"), path: "/early" },
        { at: new Date("2026-11-20T10:00Z"), path: "/other" },
      ],
    });
    await Promise.all(Array.from({ length: 5 }, () => ensureRequestLogPartition(services.pool, "2026-11-21")));
    const { rows } = await services.pool.query("select path from request_log_20261121");
    assert.deepEqual(rows, [{ path: "/early" }]);
    assert.deepEqual(await paths(), ["/other", "/early"]);
    assert.equal(
      (
        await services.pool.query(
          "insert into request_log (at, source_ip, method, path, status, duration_ms) values ('2026-11-21T11:00Z', '::1', 'GET', '/x', 200, 1)",
        )
      ).rowCount,
      1,
    );
  });

  it("lets writers write while a day that another client reads waits to be dropped", async () => {
    await ensureRequestLogPartition(services.pool, "2026-10-20");
    const log = new RequestLog(services);
    await log.recordNow(request("/before"));
    const reader = await services.pool.connect();
    await reader.query("begin");
    await reader.query("select count(*) from request_log");
    const pruning = pruneRequestLog(services, 30);
    await eventually(async () => {
      const { rowCount } = await services.pool.query(
        "select from pg_locks where not granted and mode = 'AccessExclusiveLock' and relation = 'request_log'::regclass",
      );
      assert.equal(rowCount, 1, "the drop waits for the reader");
    });
    for (const path of ["/one", "/two", "/three"]) await log.recordNow(request(path));
    await reader.query("commit");
    reader.release();
    assert.deepEqual(await pruning, ["request_log_20261020"]);
    assert.deepEqual(await paths(), ["/before", "/one", "/two", "/three"]);
    await log.close();
  });

  it("drops days that are wholly older than the retention, and no others", async () => {
    for (const day of ["2026-10-20", "2026-10-21", "2026-10-22", "2026-11-21"]) {
      await ensureRequestLogPartition(services.pool, day);
    }
    await plant(services.pool, {
      request_log: [
        { at: new Date("2026-10-22T11:59Z"), path: "/kept by its day" },
        { at: new Date("2026-09-01"), path: "/stray" },
      ],
    });
    assert.deepEqual(await pruneRequestLog(services, 30), ["request_log_20261020", "request_log_20261021"]);
    assert.deepEqual(await paths(), ["/kept by its day"]);
    assert.deepEqual(await pruneRequestLog(services, 30), []);
    assert.deepEqual(await pruneRequestLog(services, 29), ["request_log_20261022"]);
  });
});
