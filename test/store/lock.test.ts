// Locks of guests: a request's lock ends by itself, and two never hold the same guest.
import assert from "node:assert/strict";
import * as locks from "../../src/store/lock.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { fromNow, plant, type Rows } from "../support/rows.js";

const GUEST = { id: 1, hostId: 1, vmid: 100 };
const KEY = "guest:1:100";

const ROWS: Rows = {
  host: [{}],
  node: [{}],
  guest: [{ vmid: 100 }, { vmid: 101, safety_copy: true }, { vmid: 102, gone_at: fromNow(0) }],
  job: [{}, {}],
};

describe("store/lock", () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
    await plant(database.pool, ROWS);
  });
  afterEach(() => database.close());

  const held = async (): Promise<unknown[]> => {
    const { rows } = await database.pool.query(`select key, job_id as "jobId" from resource_lock order by key`);
    return rows;
  };
  const expire = () => database.pool.query(`update resource_lock set until = now() - interval '1 second'`);

  it("locks a guest for one request at a time", async () => {
    const lock = await locks.takeForRequest(database.pool, GUEST);
    assert.equal(lock?.key, KEY);
    assert.equal(await locks.takeForRequest(database.pool, GUEST), null);
  });

  it("locks a guest again once the lock is released", async () => {
    const lock = await locks.takeForRequest(database.pool, GUEST);
    assert.ok(lock);
    await locks.release(database.pool, lock);
    assert.notEqual(await locks.takeForRequest(database.pool, GUEST), null);
  });

  it("replaces an expired lock, which then releases nothing", async () => {
    const first = await locks.takeForRequest(database.pool, GUEST);
    assert.ok(first);
    await expire();
    assert.notEqual(await locks.takeForRequest(database.pool, GUEST), null);
    await locks.release(database.pool, first);
    assert.deepEqual(await held(), [{ key: KEY, jobId: null }]);
  });

  it("locks no guest for a request that a job holds", async () => {
    await locks.takeForJob(database.pool, 1, [KEY]);
    assert.equal(await locks.takeForRequest(database.pool, GUEST), null);
    assert.deepEqual(await held(), [{ key: KEY, jobId: 1 }]);
  });

  it("locks no safety copy, no guest that is gone, and none that has another place by now", async () => {
    const others = [
      { ...GUEST, id: 2, vmid: 101 },
      { ...GUEST, id: 3, vmid: 102 },
      { ...GUEST, vmid: 103 },
    ];
    const taken = await Promise.all(others.map((guest) => locks.takeForRequest(database.pool, guest)));
    assert.deepEqual(taken, [null, null, null]);
  });

  it("returns the keys that a job got, without those that another has", async () => {
    assert.deepEqual([...(await locks.takeForJob(database.pool, 1, [KEY]))], [KEY]);
    assert.deepEqual([...(await locks.takeForJob(database.pool, 2, [KEY, "guest:1:200"]))], ["guest:1:200"]);
  });
});
