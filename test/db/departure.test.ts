// Reads of callers who leave: given up while they wait, cancelled while they run, and never at the cost of who comes next.
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { Pool } from "pg";
import { Departure, readUnlessLeft } from "../../src/db/departure.js";
import { openPool } from "../../src/db/pool.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { eventually } from "../support/eventually.js";
import { silentLog } from "../support/log.js";

const LONG = 120_000;
const LEFT = new Error("left");
const PID = { text: "select pg_backend_pid() as pid" };

describe("db/departure", () => {
  let database: TestDatabase;
  let pool: Pool;
  before(async () => {
    database = await createTestDatabase();
  });
  beforeEach(() => {
    const patience = { connectMs: LONG, statementMs: LONG };
    pool = openPool({ url: database.url, purpose: "departure", size: 1, log: silentLog, patience });
  });
  afterEach(() => pool.end());
  after(() => database.close());

  const pid = async (): Promise<unknown> => (await pool.query(PID)).rows[0].pid;
  const running = async (text: string): Promise<number> => {
    const { rowCount } = await database.pool.query(
      "select from pg_stat_activity where application_name = 'drover departure' and state = 'active' and query = $1",
      [text],
    );
    return rowCount ?? 0;
  };
  const untilRunning = (text: string, count = 1) => eventually(async () => assert.equal(await running(text), count));

  it("reads for who stays", async () => {
    const { rows } = await readUnlessLeft(pool, { text: "select $1::int as n", values: [7] }, new Departure());
    assert.deepEqual(rows, [{ n: 7 }]);
  });

  it("passes on what the database refuses, with another connection for the next", async () => {
    const staying = new Departure();
    await assert.rejects(readUnlessLeft(pool, { text: "select 1 / 0" }, staying), /division by zero/);
    assert.deepEqual((await pool.query("select 1 as n")).rows, [{ n: 1 }]);
  });

  it("lets who leaves wait no longer, and gives the turn to the next", async () => {
    const holder = await pool.connect();
    const departure = new Departure();
    const waiting = readUnlessLeft(pool, { text: "select 1" }, departure);
    const next = pool.query("select 2 as n");
    departure.leave(LEFT);
    await assert.rejects(waiting, LEFT);
    holder.release();
    assert.deepEqual((await next).rows, [{ n: 2 }]);
  });

  it("asks nothing for who has left", async () => {
    const departure = new Departure();
    departure.leave(LEFT);
    await assert.rejects(readUnlessLeft(pool, { text: "select 1" }, departure), LEFT);
    assert.equal(pool.totalCount, 0);
  });

  it("cancels what runs for who leaves, and keeps the connection", async () => {
    const known = await pid();
    const departure = new Departure();
    const text = "select pg_sleep(3600)";
    const reading = readUnlessLeft(pool, { text }, departure);
    const told = assert.rejects(reading, LEFT);
    await untilRunning(text);
    departure.leave(LEFT);
    await told;
    await untilRunning(text, 0);
    assert.equal(await pid(), known);
  });

  it("never cancels the next statement on the connection, whenever the caller leaves", async () => {
    for (let round = 0; round < 60; round++) {
      const departure = new Departure();
      const reading = readUnlessLeft(pool, { text: "select pg_sleep(0.004)" }, departure);
      await Promise.all([
        reading.catch((error: unknown) => assert.equal(error, LEFT)),
        delay(round / 8).then(() => departure.leave(LEFT)),
        pool.query("select pg_sleep(0.002)"),
      ]);
    }
  });

  it("gives the connection up when the cancellation could not be delivered", async () => {
    pool.on("connect", (client) => void Object.assign(client, { port: 1 }));
    const known = await pid();
    const blocker = await database.pool.connect();
    await blocker.query("begin; lock table host in access exclusive mode");
    const departure = new Departure();
    const text = "select count(*) from host";
    const reading = readUnlessLeft(pool, { text }, departure);
    await untilRunning(text);
    departure.leave(LEFT);
    await blocker.query("commit");
    blocker.release();
    await reading;
    assert.notEqual(await pid(), known);
  });
});
