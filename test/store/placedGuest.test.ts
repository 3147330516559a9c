// Guests where they are: one is locked in the place where it was seen, and what has become of it meanwhile is found.
import assert from "node:assert/strict";
import { guestLock } from "../../src/core/guest/lock.js";
import { inTransaction } from "../../src/db/transaction.js";
import * as placedGuests from "../../src/store/guest/placed.js";
import * as locks from "../../src/store/lock.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { fromNow, plant, type Rows } from "../support/rows.js";

const GUEST = { id: 1, hostId: 1, vmid: 100 };

const ROWS: Rows = {
  host: [{}],
  node: [{}],
  guest: [{ vmid: 100 }, { vmid: 101, safety_copy: true }, { vmid: 102, gone_at: fromNow(0) }],
  port_forward: [
    { guest_id: 1, public_port: 8001 },
    { guest_id: 1, public_port: 8002 },
    { guest_id: 2, public_port: 8003 },
  ],
  job: [{}],
};

describe("store/guest/placed", () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
    await plant(database.pool, ROWS);
  });
  afterEach(() => database.close());

  it("finds guests that are there, safety copies too", async () => {
    const found = await placedGuests.moving(database.pool, [1, 2, 3, 4]);
    const copies = Object.fromEntries(found.map(({ id, safetyCopy }) => [id, safetyCopy]));
    assert.deepEqual(copies, { 1: false, 2: true });
    assert.equal((await placedGuests.find(database.pool, 2))?.vmid, 101);
    assert.equal(await placedGuests.find(database.pool, 3), null);
    assert.equal(await placedGuests.find(database.pool, null), null);
  });

  it("locks a guest until the end of the transaction", async () => {
    await inTransaction(database.pool, async (client) => {
      assert.equal(await placedGuests.lock(client, GUEST), true);
      const free = await database.pool.query("select id from guest where id < 3 for no key update skip locked");
      assert.deepEqual(free.rows, [{ id: 2 }]);
    });
  });

  it("locks no safety copy, no guest that is gone, and none that has another place by now", async () => {
    const others = [
      { ...GUEST, id: 2, vmid: 101 },
      { ...GUEST, id: 3, vmid: 102 },
      { ...GUEST, vmid: 103 },
      { ...GUEST, hostId: 2 },
    ];
    const locked = await Promise.all(others.map((guest) => placedGuests.lock(database.pool, guest)));
    assert.deepEqual(locked, [false, false, false, false]);
  });

  it("reports whether a guest is held, and whether it has other port forwards than before", async () => {
    const changes = (forwardIds: number[]) => placedGuests.changes(database.pool, GUEST, forwardIds);
    assert.deepEqual(await changes([1, 2]), { isBusy: false, hasNewForwards: false });
    assert.deepEqual(await changes([2]), { isBusy: false, hasNewForwards: true });
    await locks.takeForJob(database.pool, 1, [guestLock(1, 101)]);
    assert.deepEqual(await changes([1, 2, 3]), { isBusy: false, hasNewForwards: false });
    await locks.takeForJob(database.pool, 1, [guestLock(1, 100)]);
    assert.deepEqual(await changes([1, 2]), { isBusy: true, hasNewForwards: false });
  });
});
