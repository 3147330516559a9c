// Turns to clone a template: as many as the setting says, in the order of the jobs' ids, and only under a lease.
import assert from "node:assert/strict";
import { inTransaction } from "../../src/db/transaction.js";
import * as cloneTurns from "../../src/store/cloneTurn.js";
import { releaseOrphaned } from "../../src/store/held/release.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { insertRows, LOST_LEASE } from "./rows.js";

const TEMPLATE = { hostId: 1, vmid: 9000 };

describe("store/cloneTurn", () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
    await insertRows(database);
    await database.pool.query(
      `update setting set clones_per_template = 2;
       insert into job (kind, status, lease_epoch, lease_until, worker, started_at)
         select 'guest_create', 'running', 3, now() + interval '1 minute', 'w', now() from generate_series(3, 7)`,
    );
  });
  afterEach(() => database.close());

  const take = (id: number, template = TEMPLATE): Promise<cloneTurns.CloneTurn> =>
    inTransaction(database.pool, (client) => cloneTurns.take(client, { id, leaseEpoch: 3 }, template));
  const end = (id: number): Promise<void> => cloneTurns.end(database.pool, id);
  const rows = async (): Promise<unknown[]> =>
    (await database.pool.query(`select job_id as job, has_begun as begun from clone_turn order by 1`)).rows;

  it("are as many as the setting states; a job keeps the one that it has", async () => {
    assert.deepEqual([await take(3), await take(4), await take(5)], ["begun", "begun", "waiting"]);
    assert.deepEqual([await take(4), await take(5)], ["begun", "waiting"]);
    await database.pool.query(`update setting set clones_per_template = 1`);
    assert.deepEqual([await take(3), await take(4)], ["begun", "begun"]);
  });

  it("go to the waiting jobs in the order of their ids", async () => {
    for (const id of [3, 4]) assert.equal(await take(id), "begun");
    for (const id of [6, 5]) assert.equal(await take(id), "waiting");
    await end(3);
    assert.deepEqual([await take(6), await take(5), await take(6)], ["waiting", "begun", "waiting"]);
    await end(4);
    assert.equal(await take(6), "begun");
  });

  it("of one template, or of one host, are not those of another", async () => {
    for (const id of [3, 4]) assert.equal(await take(id), "begun");
    assert.equal(await take(5, { hostId: 1, vmid: 9001 }), "begun");
    assert.equal(await take(6, { hostId: 2, vmid: 9000 }), "begun");
    assert.equal(await take(7), "waiting");
  });

  it("are not given twice to jobs that ask at once", async () => {
    const taken = await Promise.all([3, 4, 5, 6, 7].map((id) => take(id)));
    // The next turn is that of the waiting job with the lowest id: fewer than two may have begun so far.
    assert.ok(taken.filter((turn) => turn === "begun").length <= 2, taken.join());
    const again: string[] = [];
    for (const id of [3, 4, 5, 6, 7]) again.push(await take(id));
    assert.equal(again.filter((turn) => turn === "begun").length, 2, again.join());
  });

  it("are not taken by a worker that lost its lease", async () => {
    const lost = inTransaction(database.pool, (client) => cloneTurns.take(client, LOST_LEASE, TEMPLATE));
    assert.equal(await lost, "lost");
    assert.deepEqual(await rows(), []);
  });

  it("of jobs that ended, or are queued again, keep no job waiting; the sweep removes those of ended ones", async () => {
    for (const id of [3, 4]) assert.equal(await take(id), "begun");
    assert.equal(await take(5), "waiting");
    await database.pool.query(`update job set status = 'done', finished_at = now() where id = 3`);
    await database.pool.query(`update job set status = 'queued', worker = null, lease_until = null where id = 4`);
    assert.deepEqual([await take(5), await take(6)], ["begun", "begun"]);
    await releaseOrphaned(database.pool);
    assert.deepEqual(
      await rows(),
      [4, 5, 6].map((job) => ({ job, begun: true })),
    );
  });
});
