// The connections of a pool when one caller wants all of them.
import assert from "node:assert/strict";
import type { Pool } from "pg";
import { onBehalfOf } from "../../src/concurrency/callerScope.js";
import { openPool } from "../../src/db/pool.js";
import { databaseTrouble } from "../../src/db/databaseTrouble.js";
import { shareConnections } from "../../src/db/sharedConnections.js";
import { createTestDatabase, PATIENCE, type TestDatabase } from "../support/database.js";
import { eventually } from "../support/eventually.js";
import { silentLog } from "../support/log.js";

const SIZE = 6;
/** What one caller may hold of them. */
const SHARE = 2;
const LOCK = 4711;
const WAITS_FOR_LOCK = `select pg_advisory_xact_lock_shared(${LOCK})`;
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
    pool = openPool({ url: database.url, purpose: "requests", patience: PATIENCE, size: SIZE, log: silentLog });
    shareConnections(pool, { size: SIZE, longestMs: 1_000 });
  });
  afterEach(() => pool.end());
  after(() => database.close());

  /** Statements that wait for the test's lock. */
  const waiting = async (): Promise<number> => {
    const { rows } = await database.pool.query(
      `select from pg_locks where locktype = 'advisory' and objid = ${LOCK} and not granted
         and database = (select oid from pg_database where datname = current_database())`,
    );
    return rows.length;
  };

  it("are left to others by a caller whose statements are slow", async () => {
    const lock = await database.pool.connect();
    await lock.query(`select pg_advisory_lock(${LOCK})`);
    const slow = onBehalfOf(GREEDY, () => Array.from({ length: 20 }, () => pool.query(WAITS_FOR_LOCK)));
    const settled = Promise.allSettled(slow);
    try {
      await eventually(async () => assert.equal(await waiting(), SHARE));
      assert.equal(pool.totalCount - pool.idleCount, SHARE);
      await onBehalfOf(MODEST, () => pool.query("select 1"));
      // What waits longer than a second is refused as by a pool that is full.
      for (const refused of slow.slice(SHARE)) {
        await assert.rejects(refused, (reason) => databaseTrouble(reason) === "full");
      }
      assert.equal(await waiting(), SHARE);
    } finally {
      await lock.query(`select pg_advisory_unlock(${LOCK})`);
      lock.release();
    }
    const outcomes = await settled;
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, SHARE);
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
