// Periodic tasks: what they delete, and what is recorded of their runs.
import assert from "node:assert/strict";
import { runAllTasks, runTask, scheduledTasks } from "../../../jobs/periodic/tasks.js";
import { Duty } from "../../../src/core/duty.js";
import { ensureRequestLogPartition } from "../../../src/store/requestLogPartition.js";
import { keptLog } from "../../support/log.js";
import { fromNow, plant } from "../../support/rows.js";
import { createTestServices, shiftableClock, type ShiftableClock, type TestServices } from "../../support/services.js";

const HOUR_SECONDS = 3600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

describe("periodic tasks", () => {
  let services: TestServices;
  let clock: ShiftableClock;
  let lines: readonly string[];
  beforeEach(async () => {
    clock = shiftableClock();
    const kept = keptLog();
    lines = kept.lines;
    services = await createTestServices({ clock, log: kept.log });
  });
  afterEach(() => services.close());

  const recorded = async () =>
    (await services.pool.query(`select started_at as began, finished_at as finished, error from task_run`)).rows;

  it("leave on record when they last ran", async () => {
    const began = services.clock.now();
    await runTask(services, { name: "counted", run: () => Promise.resolve(clock.shift(60)) });
    const [run] = await recorded();
    assert.equal(run.error, null);
    assert.ok(run.began.getTime() >= began.getTime());
    assert.ok(run.finished.getTime() >= began.getTime() + 60_000);
  });

  it("leave their failure on record until the next run has ended, and report it to the schedule", async () => {
    const failing = { name: "failing", run: () => Promise.reject(new Error("no disk")) };
    await assert.rejects(runTask(services, failing), /no disk/);
    assert.partialDeepStrictEqual(await recorded(), [{ error: "no disk", finished: null }]);
    await runTask(services, { ...failing, run: () => Promise.resolve() });
    assert.partialDeepStrictEqual(await recorded(), [{ error: null }]);
  });

  const names = (duties: readonly Duty[]) => scheduledTasks(services, duties).map(({ name }) => name);

  it("are run by the workers whose duties they are", () => {
    assert.deepEqual(names([Duty.INVENTORY_PRUNE]), ["inventory"]);
    assert.deepEqual(names([Duty.DAILY_TASKS]), [
      "request-log",
      "sessions",
      "safety-copies",
      "address-history",
      "request-log-budget",
    ]);
    assert.deepEqual(names([Duty.SWEEP]), []);
  });

  it("are done, and recorded, when the schedule runs them", async () => {
    await plant(services.pool, {
      user_account: [{}],
      session: [{ token_hash: "old", expires_at: fromNow(-HOUR_SECONDS) }],
    });
    const tasks = scheduledTasks(services, [Duty.DAILY_TASKS, Duty.INVENTORY_PRUNE]);
    for (const { run } of tasks) await run();
    const { rows } = await services.pool.query<{ name: string }>(
      `select name from task_run where finished_at is not null and error is null`,
    );
    assert.deepEqual(new Set(rows.map(({ name }) => name)), new Set(tasks.map(({ name }) => name)));
    assert.equal((await services.pool.query(`select from session`)).rowCount, 0);
  });

  it("log what they have dropped, and nothing when there was nothing to drop", async () => {
    const [since, until] = [fromNow(-1001 * DAY_SECONDS), fromNow(-1000 * DAY_SECONDS)];
    await plant(services.pool, { ip_address_holding: [{ since, until }] });
    const day = new Date(clock.now().getTime() - 1000 * DAY_SECONDS * 1000);
    await ensureRequestLogPartition(services.pool, day.toISOString().slice(0, 10));
    await runAllTasks(services);
    const dropped = ["info: days of the request log were dropped", "info: old holders of addresses were deleted"];
    assert.deepEqual(lines, dropped);
    await runAllTasks(services);
    assert.deepEqual(lines, dropped);
  });

  it("record what the request log takes, and for seven days which of its days were dropped for its size", async () => {
    const old = clock.now().toISOString().slice(0, 10);
    await plant(services.pool, { request_log: [{ path: "/old" }] });
    await ensureRequestLogPartition(services.pool, old);
    clock.shift(DAY_SECONDS);
    const recordedAs = async () => {
      await runAllTasks(services);
      const { rows } = await services.pool.query(
        `select size_bytes::float8 as bytes, dropped_through::text as day, dropped_at as at from request_log_budget`,
      );
      return rows;
    };
    const [{ bytes, ...nothing }] = await recordedAs();
    assert.ok(bytes > 0);
    assert.deepEqual(nothing, { day: null, at: null });
    await services.pool.query(`update setting set request_log_max_mb = 1`);
    await services.pool.query(
      `insert into request_log (at, source_ip, method, path, status, duration_ms)
       select '${old}', '::1', 'GET', '/' || n, 200, 1 from generate_series(1, 20000) n`,
    );
    const began = clock.now();
    const [{ bytes: left, ...dropped }] = await recordedAs();
    assert.equal(dropped.day, old);
    assert.ok(dropped.at >= began);
    assert.ok(left <= 1024 ** 2);
    clock.shift(7 * DAY_SECONDS - HOUR_SECONDS);
    assert.partialDeepStrictEqual(await recordedAs(), [dropped]);
    clock.shift(HOUR_SECONDS);
    assert.partialDeepStrictEqual(await recordedAs(), [nothing]);
  });

  it("forget who held an address, longer after its end than the setting states", async () => {
    const ended = [30, 31, 365, 366].map((days) => ({ until: fromNow(60 - days * DAY_SECONDS) }));
    await plant(services.pool, {
      ip_address_holding: [...ended, { until: null }].map((held) => ({ ...held, since: fromNow(-730 * DAY_SECONDS) })),
    });
    const left = async () => {
      await runAllTasks(services);
      clock.shift(DAY_SECONDS);
      return (await services.pool.query(`select 1 from ip_address_holding`)).rowCount;
    };
    assert.equal(await left(), 4);
    await services.pool.query(`update setting set address_history_retention_days = 30`);
    assert.equal(await left(), 1);
  });

  it("drop what the request log no longer keeps, and sessions that have expired", async () => {
    await plant(services.pool, {
      user_account: [{}],
      session: [
        { token_hash: "old", expires_at: fromNow(-HOUR_SECONDS) },
        { token_hash: "new", expires_at: fromNow(HOUR_SECONDS) },
      ],
      request_log: [{ path: "/old", at: fromNow(-40 * DAY_SECONDS) }, { path: "/new" }],
    });
    await runAllTasks(services);
    const { rows: log } = await services.pool.query(`select path from request_log`);
    assert.deepEqual(log, [{ path: "/new" }]);
    const { rows: sessions } = await services.pool.query(`select token_hash from session`);
    assert.deepEqual(sessions, [{ token_hash: "new" }]);
  });
});
