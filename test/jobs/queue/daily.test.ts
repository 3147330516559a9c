// Daily tasks: due once a day, done by one process, caught up after a pause, tried again after a failure.
import assert from "node:assert/strict";
import { runDailyTasks, runDailyTasksAnew, type DailyTask } from "../../../jobs/queue/daily.js";
import { createTestServices, shiftableClock, type ShiftableClock, type TestServices } from "../../support/services.js";

const DAY_SECONDS = 86_400;

describe("daily tasks", () => {
  let services: TestServices;
  let clock: ShiftableClock;
  let runs: number;
  const task: DailyTask = {
    name: "counted",
    run: () => {
      runs++;
      return Promise.resolve();
    },
  };

  beforeEach(async () => {
    clock = shiftableClock();
    services = await createTestServices({ clock });
    runs = 0;
  });
  afterEach(() => services.close());

  it("are due at the first look, and then a day later", async () => {
    assert.deepEqual(await runDailyTasks(services, [task]), ["counted"]);
    assert.deepEqual(await runDailyTasks(services, [task]), []);
    clock.shift(DAY_SECONDS - 60);
    assert.deepEqual(await runDailyTasks(services, [task]), []);
    clock.shift(61);
    assert.deepEqual(await runDailyTasks(services, [task]), ["counted"]);
    assert.equal(runs, 2);
  });

  it("are done by one of many processes that look at once", async () => {
    await Promise.all(Array.from({ length: 8 }, () => runDailyTasks(services, [task])));
    assert.equal(runs, 1);
  });

  it("are done once after a pause of many days", async () => {
    await runDailyTasks(services, [task]);
    clock.shift(5 * DAY_SECONDS);
    await runDailyTasks(services, [task]);
    await runDailyTasks(services, [task]);
    assert.equal(runs, 2);
  });

  it("are done anew at a start, however long ago they were done, also when the clock was set back", async () => {
    assert.deepEqual(await runDailyTasksAnew(services, [task]), ["counted"]);
    assert.deepEqual(await runDailyTasksAnew(services, [task]), ["counted"]);
    clock.shift(-5 * DAY_SECONDS);
    assert.deepEqual(await runDailyTasksAnew(services, [task]), ["counted"]);
    assert.deepEqual(await runDailyTasks(services, [task]), []);
  });

  it("are tried again a while after a failure, which is on record and stops no other task", async () => {
    const failing: DailyTask = { name: "failing", run: () => Promise.reject(new Error("no disk")) };
    assert.deepEqual(await runDailyTasks(services, [failing, task]), ["counted"]);
    const { rows } = await services.pool.query(`select last_error from schedule where name = 'failing'`);
    assert.deepEqual(rows, [{ last_error: "no disk" }]);
    const mended = { ...failing, run: () => Promise.resolve() };
    assert.deepEqual(await runDailyTasks(services, [mended]), []);
    clock.shift(16 * 60);
    assert.deepEqual(await runDailyTasks(services, [mended]), ["failing"]);
  });

  it("forget who held an address, longer after its end than the setting says", async () => {
    await services.pool.query(
      `insert into ip_address_holding (host_id, zone_id, zone_name, address, since, until)
       select 1, 1, 'lan', '10.0.0.1', now() - interval '2 years', now() - days * interval '1 day' + interval '1 minute'
       from unnest(array[30, 31, 365, 366, null]) days`,
    );
    const left = async () => {
      await runDailyTasks(services);
      clock.shift(DAY_SECONDS);
      return (await services.pool.query(`select 1 from ip_address_holding`)).rowCount;
    };
    assert.equal(await left(), 4);
    await services.pool.query(`update setting set address_history_retention_days = 30`);
    assert.equal(await left(), 1);
  });

  it("drop what the request log no longer keeps, and sessions that have expired", async () => {
    await services.pool.query(
      `insert into request_log (at, source_ip, method, path, status, duration_ms)
       values (now() - interval '40 days', '::1', 'GET', '/old', 200, 1), (now(), '::1', 'GET', '/new', 200, 1)`,
    );
    await services.pool.query(
      `with u as (insert into user_account (email, username, role, password_hash) values ('a@b.example', 'a', 'admin', 'x') returning id)
       insert into session (token_hash, user_id, expires_at)
       select 'old', id, now() - interval '1 hour' from u union all select 'new', id, now() + interval '1 hour' from u`,
    );
    await runDailyTasks(services);
    const { rows: log } = await services.pool.query(`select path from request_log`);
    assert.deepEqual(log, [{ path: "/new" }]);
    const { rows: sessions } = await services.pool.query(`select token_hash from session`);
    assert.deepEqual(sessions, [{ token_hash: "new" }]);
  });
});
