// The pools: who waits for a connection, how long, and how long a statement may take.
import assert from "node:assert/strict";
import type { Pool, PoolClient } from "pg";
import { readConfig } from "../../src/config/config.js";
import { databaseTimeouts } from "../../src/config/limits.js";
import { databaseTrouble } from "../../src/db/databaseTrouble.js";
import { inTransaction } from "../../src/db/transaction.js";
import { releaseBrokenClients, openPool, type PoolOptions } from "../../src/db/pool.js";
import { createEmptyDatabase } from "../support/database.js";
import { eventually } from "../support/eventually.js";
import { silentLog } from "../support/log.js";
import { startProxy } from "../support/proxy.js";

const LONG = 120_000;
const MOMENT = 1_000;

describe("db/pool", () => {
  let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
  const open: Pool[] = [];
  before(async () => {
    database = await createEmptyDatabase();
  });
  afterEach(async () => {
    for (const pool of open.splice(0)) await pool.end();
  });
  after(() => database.drop());

  function poolWith(options: Partial<PoolOptions>): Pool {
    const pool = openPool({
      url: database.url,
      purpose: "test",
      size: 1,
      log: silentLog,
      patience: { connectMs: LONG, statementMs: LONG },
      ...options,
    });
    open.push(pool);
    return pool;
  }

  it("refuses at once who comes when enough wait, and serves those", async () => {
    const pool = poolWith({ mostWaiting: 2 });
    const holder = await pool.connect();
    const [first, second] = [pool.query("select 1"), pool.connect()];
    assert.equal(await troubleOf(pool.query("select 2")), "full");
    assert.equal(await troubleOf(pool.connect()), "full");
    holder.release();
    await first;
    (await second).release();
    await pool.query("select 3");
  });

  it("gives up waiting for a connection after a while", async () => {
    const pool = poolWith({ patience: { connectMs: MOMENT, statementMs: LONG } });
    // The first connection may take its time on a busy machine: only the wait for another's turn is to be short.
    const holder = await connected(pool);
    assert.equal(await troubleOf(pool.query("select 1")), "full");
    holder.release();
    await pool.query("select 1");
  });

  it("ends a statement beyond its time, and goes on with the connection", async () => {
    const pool = poolWith({ patience: { connectMs: LONG, statementMs: MOMENT } });
    assert.equal(await troubleOf(pool.query("select pg_sleep(600)")), "tooLong");
    assert.equal((await pool.query("select 1")).rowCount, 1);
  });

  it("gives up a statement whose server no longer answers, and goes on with another connection", async () => {
    const proxy = await startProxy(database.url);
    const pool = poolWith({ url: proxy.url, patience: { connectMs: LONG, statementMs: MOMENT } });
    await pool.query("select 1");
    proxy.freeze();
    assert.equal(await troubleOf(pool.query("select 2")), "tooLong");
    await eventually(async () => void (await pool.query("select 3")));
    await proxy.close();
  });

  it("goes on with another connection after one to a standby", async () => {
    const pool = poolWith({});
    const change = () => inTransaction(pool, (client) => client.query("create table made ()"));
    const client = await pool.connect();
    await client.query("set default_transaction_read_only = on");
    client.release();
    assert.equal(await troubleOf(change()), "unable");
    await change();
  });

  it("releases a connection that could not begin to listen, though no caller releases it", async () => {
    const pool = poolWith({});
    releaseBrokenClients(pool);
    const client = await pool.connect();
    await assert.rejects(client.query("listen"));
    assert.equal((await pool.query("select 1")).rowCount, 1);
  });

  it("ends a transaction that stands still, however long a statement may take, and its locks are free", async () => {
    const pool = poolWith({ patience: { connectMs: LONG, statementMs: LONG, idleMs: MOMENT } });
    const client = await pool.connect();
    const lost = new Promise<unknown>((resolve) => client.once("error", resolve));
    await client.query("begin; select pg_advisory_xact_lock(1)");
    const successor = poolWith({});
    await successor.query("select pg_advisory_lock(1)");
    assert.equal(databaseTrouble(await lost), "tooLong");
    client.release(true);
    assert.equal((await pool.query("select 1")).rowCount, 1);
  });

  it("lets background work stand still no longer than a request", () => {
    const { limits } = readConfig({ DROVER_STATEMENT_SECONDS: "7", DROVER_WORK_STATEMENT_SECONDS: "300" });
    const { requests, work } = databaseTimeouts(limits);
    assert.deepEqual([requests.statementMs, work.statementMs, work.idleMs], [7_000, 300_000, 7_000]);
  });
});

async function connected(pool: Pool): Promise<PoolClient> {
  for (;;) {
    const client = await pool.connect().catch((error: unknown) => {
      if (databaseTrouble(error) === null) throw error;
      return null;
    });
    if (client !== null) return client;
  }
}

const troubleOf = async (work: Promise<unknown>) =>
  databaseTrouble(
    await work.then(
      () => assert.fail("it succeeded"),
      (error: unknown) => error,
    ),
  );
