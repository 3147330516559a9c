// Tests how the request log is kept within its budget: which days give way, which stay, and that nobody is in their way.
import assert from "node:assert/strict";
import type { Pool } from "pg";
import { RequestLog } from "../../src/access/requestLog.js";
import { ensureRequestLogPartition, shrinkRequestLog } from "../../src/store/requestLogPartition.js";
import { loggedPaths, request } from "../access/support/logged.js";
import { eventually } from "../support/eventually.js";
import { plant } from "../support/rows.js";
import { createTestServices, fixedClock, type TestServices } from "../support/services.js";

const DAYS = ["2026-11-19", "2026-11-20", "2026-11-21"];

describe("the size of the request log", () => {
  let services: TestServices;
  /** One row each, and a partition that is still empty. */
  beforeEach(async () => {
    services = await createTestServices({ clock: fixedClock("2026-11-21T12:00:00Z") });
    for (const day of [...DAYS, "2026-11-22"]) await ensureRequestLogPartition(services.pool, day);
    await plant(services.pool, {
      request_log: DAYS.map((day) => ({ at: new Date(`${day}T10:00Z`), path: `/${day}` })),
    });
  });
  afterEach(() => services.close());

  const paths = (): Promise<string[]> => loggedPaths(services);

  async function steps(mostBytes: number) {
    const found = [];
    for await (const step of shrinkRequestLog(services, mostBytes)) found.push(step);
    return found;
  }

  it("leaves all days as they are while it is within the budget", async () => {
    const bytes = await sizeOf(services.pool);
    assert.deepEqual(await steps(bytes), [{ bytes, droppedThrough: null }]);
    assert.deepEqual(await paths(), ["/2026-11-19", "/2026-11-20", "/2026-11-21"]);
  });

  it("costs the oldest day, and no more than it takes", async () => {
    const [bytes, oldest] = [await sizeOf(services.pool), await sizeOf(services.pool, "request_log_20261119")];
    assert.ok(oldest > 0);
    assert.deepEqual(await steps(bytes - 1), [
      { bytes, droppedThrough: null },
      { bytes: bytes - oldest, droppedThrough: "2026-11-19" },
    ]);
    assert.equal(await sizeOf(services.pool), bytes - oldest);
    assert.deepEqual(await paths(), ["/2026-11-20", "/2026-11-21"]);
  });

  it("costs the present day last, whose partition stays for its writers", async () => {
    const days = (await steps(0)).map(({ droppedThrough }) => droppedThrough);
    assert.deepEqual(days, [null, ...DAYS, "2026-11-22"]);
    const log = new RequestLog(services);
    await log.recordNow(request("/after"));
    await log.close();
    const { rows } = await services.pool.query("select tableoid::regclass::text as partition, path from request_log");
    assert.deepEqual(rows, [{ partition: "request_log_20261121", path: "/after" }]);
  });

  it("waits for who reads a day, and lets others read and write meanwhile", async () => {
    const reader = await services.pool.connect();
    await reader.query("begin");
    await reader.query("select from request_log_20261119");
    const shrinking = steps((await sizeOf(services.pool)) - 1);
    await eventually(async () => {
      const { rowCount } = await services.pool.query(
        "select from pg_locks where not granted and mode = 'AccessExclusiveLock' and relation = 'request_log_20261119'::regclass",
      );
      assert.equal(rowCount, 1, "the drop waits for the reader");
    });
    const log = new RequestLog(services);
    await log.recordNow(request("/meanwhile"));
    await log.close();
    assert.deepEqual(await paths(), ["/2026-11-19", "/2026-11-20", "/2026-11-21", "/meanwhile"]);
    await reader.query("commit");
    reader.release();
    assert.equal((await shrinking).length, 2);
  });
});

/** Bytes of the partitions whose names begin like this. */
async function sizeOf(pool: Pool, start = ""): Promise<number> {
  const { rows } = await pool.query<{ bytes: number }>(
    `select sum(pg_total_relation_size(inhrelid))::float8 as bytes from pg_inherits
     where inhparent = 'request_log'::regclass and starts_with(inhrelid::regclass::text, $1)`,
    [start],
  );
  return rows[0]?.bytes ?? 0;
}
