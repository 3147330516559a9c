// Benchmark: a million rows of the request log go, by days as the service does it and by rows; how long do writers wait meanwhile?
import type { Pool } from "pg";
import { RequestLog } from "../../src/access/requestLog.js";
import { ensureRequestLogPartition, pruneRequestLog } from "../../src/store/requestLogPartition.js";
import { systemClock } from "../../src/concurrency/clock.js";
import { createLogger } from "../../src/observability/log.js";
import { withBenchDatabase } from "../database.js";
import { figureOf, percentile, timed, type Benchmark, type Figures, type Standing } from "../frame.js";

const ROWS = 1_000_000;
/** Rows a statement, as many as end well within the service's longest statement. */
const CHUNK = 25_000;
const KEEP_DAYS = 30;
const DAY_MS = 86_400_000;
/** Days that are over: the rows are spread over them. */
const EXPIRED_DAYS = [KEEP_DAYS + 2, KEEP_DAYS + 3];
const DROPPED = "days are dropped";
const BY_ROWS = `rows are deleted, ${CHUNK} at a time`;
const clock = systemClock();

export const requestLogPrune: Benchmark = {
  name: "request-log-prune",
  title: "a million rows of the request log are pruned while requests are logged",
  longestSeconds: 300,
  run: () =>
    withBenchDatabase(async ({ pool }) => {
      const size = await fill(pool);
      const ways: readonly [name: string, prune: () => Promise<unknown>][] = [
        ["nothing is pruned", () => new Promise((resolve) => setTimeout(resolve, 2_000))],
        [DROPPED, () => pruneRequestLog({ pool, clock }, KEEP_DAYS)],
        [BY_ROWS, () => deleteRows(pool)],
      ];
      const standings: Standing[] = [];
      for (const [name, prune] of ways) {
        if (name === BY_ROWS) await fill(pool);
        standings.push({ name, figures: await whileLogging(pool, prune), ratios: {} });
      }
      const worst = figureOf(standings, DROPPED, "longest wait ms");
      return {
        standings,
        verdicts: [{ says: "a writer waits", value: worst, unit: "ms", atMost: 250 }],
        notes: [`${ROWS} rows with their indexes take ${Math.round(size / 1024 / 1024)} MB`],
      };
    }),
};

const ROWS_A_DAY = ROWS / EXPIRED_DAYS.length;

const FILL = `
  insert into request_log (at, token_id, token_name, source_ip, method, path, status, duration_ms)
  select $1::date + n * interval '80 milliseconds', n % 50, 'token ' || n % 50, '203.0.113.' || n % 250, 'GET',
    '/api/v1/hosts/' || n % 20 || '/guests/qemu/' || n % 5000, 200, n % 100
  from generate_series($2::int, $3::int) n`;

const DELETE_SOME = `
  delete from request_log where (at, id) in (select at, id from request_log where at < $1 order by at, id limit ${CHUNK})`;

const dayBefore = (days: number): string => new Date(clock.now().getTime() - days * DAY_MS).toISOString().slice(0, 10);

/** @returns the bytes of the rows and their indexes */
async function fill(pool: Pool): Promise<number> {
  for (const days of EXPIRED_DAYS) {
    const day = dayBefore(days);
    await ensureRequestLogPartition(pool, day);
    for (let first = 1; first <= ROWS_A_DAY; first += CHUNK) await pool.query(FILL, [day, first, first + CHUNK - 1]);
  }
  const { rows } = await pool.query<{ bytes: number }>(
    `select sum(pg_total_relation_size(inhrelid))::float8 as bytes from pg_inherits where inhparent = 'request_log'::regclass`,
  );
  return rows[0]?.bytes ?? Number.NaN;
}

async function deleteRows(pool: Pool): Promise<void> {
  const oldestKept = new Date(clock.now().getTime() - KEEP_DAYS * DAY_MS);
  for (let deleted = CHUNK; deleted > 0;) deleted = (await pool.query(DELETE_SOME, [oldestKept])).rowCount ?? 0;
}

/** Logs one request after the other while `work` is done. */
async function whileLogging(pool: Pool, work: () => Promise<unknown>): Promise<Figures> {
  const log = new RequestLog({ pool, log: createLogger("error", "bench") });
  const waits: number[] = [];
  const done = new AbortController();
  const writing = (async () => {
    while (!done.signal.aborted) waits.push(await timed(() => log.recordNow(request())));
  })();
  const workMs = await timed(work);
  done.abort();
  await writing;
  await log.close();
  return {
    "work ms": workMs,
    "rows logged": waits.length,
    "p99 wait ms": percentile(waits, 0.99),
    "longest wait ms": percentile(waits, 1),
  };
}

const request = () => ({
  at: clock.now(),
  tokenId: 1,
  tokenName: "token",
  sourceIp: "203.0.113.5",
  method: "GET",
  path: "/api/v1/hosts",
  status: 200,
  durationMs: 1.5,
});
