// A transaction that PostgreSQL broke off for a deadlock is done again, whole.
import assert from "node:assert/strict";
import { Client } from "pg";
import { retryOnDeadlock } from "../../src/db/deadlock.js";
import { createEmptyDatabase } from "../support/database.js";
import { eventually } from "../support/eventually.js";
import { silentLog } from "../support/log.js";

describe("db/deadlock", () => {
  let drop: () => Promise<void>;
  const clients: Client[] = [];
  let watcher: Client;
  let ours: Client;
  let others: Client;
  let gatekeeper: Client;
  before(async () => {
    const database = await createEmptyDatabase();
    ({ drop } = database);
    const connect = async (): Promise<Client> => {
      const client = new Client({ connectionString: database.url });
      clients.push(client);
      await client.connect();
      return client;
    };
    [watcher, ours, others, gatekeeper] = [await connect(), await connect(), await connect(), await connect()];
    await watcher.query("create table first (id int); create table gate (id int); create table second (id int)");
    // Who looks for deadlocks later is not the one who is broken off.
    await others.query("set deadlock_timeout = '1h'");
  });
  after(async () => {
    for (const client of clients) await client.end();
    await drop();
  });

  const waits = (table: string): Promise<void> =>
    eventually(async () => {
      const { rowCount } = await watcher.query(
        `select from pg_locks where relation = to_regclass($1) and not granted`,
        [table],
      );
      assert.equal(rowCount, 1, `somebody waits for ${table}`);
    });

  it("begins again with the whole work", async () => {
    let attempts = 0;
    const work = async (): Promise<string> => {
      attempts += 1;
      await ours.query("begin");
      try {
        for (const table of ["first", "gate", "second"]) await ours.query(`lock table ${table}`);
        await ours.query("commit");
        return "done";
      } catch (error) {
        await ours.query("rollback");
        throw error;
      }
    };
    await gatekeeper.query("begin; lock table gate");
    await others.query("begin; lock table second");
    const working = retryOnDeadlock(silentLog, work);
    await waits("gate");
    const crossing = others.query("lock table first");
    await waits("first");
    await gatekeeper.query("rollback");
    await crossing;
    await others.query("commit");
    assert.equal(await working, "done");
    assert.ok(attempts > 1, "the first attempt was broken off");
  });

  it("hands on every other error", async () => {
    await assert.rejects(
      retryOnDeadlock(silentLog, () => watcher.query("select from nothing")),
      /"nothing" does not exist/,
    );
  });
});
