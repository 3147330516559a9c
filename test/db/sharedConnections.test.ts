// The connections of a pool when one caller wants all of them.
import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import type { Pool } from "pg";
import { onBehalfOf } from "../../src/concurrency/callerScope.js";
import { openPool } from "../../src/db/pool.js";
import { databaseTrouble } from "../../src/db/databaseTrouble.js";
import { shareConnections } from "../../src/db/sharedConnections.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { silentLog } from "../support/log.js";

const SIZE = 6;
const GREEDY = { key: "token 1", isKnown: true };
const MODEST = { key: "token 2", isKnown: true };
const STRANGER = { key: "address 192.0.2.1", isKnown: false };

describe("db/sharedConnections", () => {
  let database: TestDatabase;
  let pool: Pool;
  before(async () => {
    database = await createTestDatabase();
  });
  beforeEach(() => {
    const patience = { connectMs: 5_000, statementMs: 10_000 };
    pool = openPool({ url: database.url, purpose: "requests", patience, size: SIZE, log: silentLog });
    shareConnections(pool, { size: SIZE, longestMs: 1_000 });
  });
  afterEach(() => pool.end());
  after(() => database.close());

  it("are left to others by a caller whose statements are slow", async () => {
    const slow = onBehalfOf(GREEDY, () => Array.from({ length: 20 }, () => pool.query("select pg_sleep(0.5)")));
    const settled = Promise.allSettled(slow);
    await pause(100);
    assert.equal(pool.totalCount - pool.idleCount, 2);
    const begin = performance.now();
    await onBehalfOf(MODEST, () => pool.query("select 1"));
    assert.ok(performance.now() - begin < 400);
    const outcomes = await settled;
    // What waits longer than a second is refused as by a pool that is full.
    const refused = outcomes.filter((outcome) => outcome.status === "rejected");
    assert.ok(refused.length > 0);
    for (const { reason } of refused) assert.equal(databaseTrouble(reason), "full");
  });

  it("are held by unknown callers together as one, and by the service itself as another", async () => {
    const held = await onBehalfOf(STRANGER, () => Promise.all([pool.connect(), pool.connect()]));
    await assert.rejects(onBehalfOf({ ...STRANGER, key: "address 192.0.2.2" }, () => pool.query("select 1")));
    assert.equal((await pool.query("select 1 as one")).rows[0]?.one, 1);
    for (const client of held) client.release();
    await onBehalfOf(STRANGER, () => pool.query("select 1"));
  });

  it("come back when a statement fails, and when a connection is destroyed", async () => {
    for (let attempt = 0; attempt < 10; attempt++) {
      await assert.rejects(onBehalfOf(GREEDY, () => pool.query("select nonsense")));
      (await onBehalfOf(GREEDY, () => pool.connect())).release(true);
    }
    await onBehalfOf(GREEDY, () => pool.query("select 1"));
  });
});
