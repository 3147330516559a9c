// Which rows a hold keeps from others until its transaction ends, and which it leaves to them.
import assert from "node:assert/strict";
import type { PoolClient } from "pg";
import { inTransaction } from "../../src/db/transaction.js";
import * as guests from "../../src/store/guest/known.js";
import * as hosts from "../../src/store/host/known.js";
import { lockJob } from "../../src/store/job/parked.js";
import * as forwards from "../../src/store/portForward.js";
import * as users from "../../src/store/user.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { fromNow, plant } from "../support/rows.js";
import { insertRows } from "./rows.js";

describe("store: rows that are held", () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
    await insertRows(database);
  });
  afterEach(() => database.close());

  /** Ids of the rows that another transaction can lock in this strength. */
  async function free(table: string, strength: string): Promise<number[]> {
    const { rows } = await database.pool.query<{ id: number }>(
      `select id from ${table} order by id for ${strength} skip locked`,
    );
    return rows.map(({ id }) => id);
  }

  /** What others can lock to change rows, and to refer to them, while `hold` is held. */
  const whileHeld = (table: string, hold: (client: PoolClient) => Promise<unknown>) =>
    inTransaction(database.pool, async (client) => {
      await hold(client);
      return { change: await free(table, "no key update"), reference: await free(table, "key share") };
    });

  it("keeps a host from changes, and lets jobs refer to it", async () => {
    const held = await whileHeld("host", (client) => hosts.hold(client, 1));
    assert.deepEqual(held, { change: [2], reference: [1, 2] });
  });

  it("keeps a guest from changes while a forward is made for it", async () => {
    const held = await whileHeld("guest", (client) => guests.holdForwardable(client, 1, null));
    assert.deepEqual(held, { change: [2], reference: [1, 2] });
  });

  it("holds no guest of another host for a forward, and none that is gone", async () => {
    await plant(database.pool, { guest: [{ vmid: 102, gone_at: fromNow(0) }] });
    assert.equal(await guests.holdForwardable(database.pool, 1, [2]), null);
    assert.equal(await guests.holdForwardable(database.pool, 3, null), null);
    assert.equal((await guests.holdForwardable(database.pool, 1, [1, 2]))?.vmid, 100);
  });

  it("keeps the named guests from changes, whether they are copies or not", async () => {
    const held = await whileHeld("guest", (client) => guests.holdCopies(client, [2, 9]));
    assert.deepEqual(held, { change: [1], reference: [1, 2] });
  });

  it("keeps the node of a guest and those of its forwards from changes", async () => {
    await plant(database.pool, { port_forward: [{ node_id: 3, public_port: 8080 }] });
    const held = await whileHeld("node", (client) => forwards.lockNodesOf(client, 1));
    assert.deepEqual(held, { change: [2], reference: [1, 2, 3] });
  });

  it("keeps a job from changes", async () => {
    const held = await whileHeld("job", (client) => lockJob(client, 1));
    assert.deepEqual(held, { change: [2], reference: [1, 2] });
  });

  it("keeps an account from its deletion alone", async () => {
    const held = await inTransaction(database.pool, async (client) => {
      await users.hold(client, 1);
      return { deletion: await free("user_account", "update"), change: await free("user_account", "no key update") };
    });
    assert.deepEqual(held, { deletion: [], change: [1] });
  });

  it("finds a forward on the hosts that are asked for alone", async () => {
    await plant(database.pool, { port_forward: [{ node_id: 3, public_port: 8080 }] });
    assert.equal(await forwards.nodeOf(database.pool, 1, null), 3);
    assert.equal(await forwards.nodeOf(database.pool, 1, [1]), 3);
    assert.equal(await forwards.nodeOf(database.pool, 1, [2]), null);
  });
});
