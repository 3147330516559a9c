// Migrations on record: the commit point and the progress of a transfer are written under the lease of its job only.
import assert from "node:assert/strict";
import { inTransaction } from "../../src/db/transaction.js";
import * as migrations from "../../src/store/migration.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { insertRows, LEASE, LOST_LEASE } from "./rows.js";

describe("store/migration", () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
    await insertRows(database);
  });
  afterEach(() => database.close());

  const migration = async (columns: string): Promise<unknown> =>
    (await database.pool.query(`select ${columns} from migration`)).rows[0];
  const facts = async (): Promise<unknown> => (await database.pool.query("select facts from job where id = 1")).rows[0];

  /** How many rows with id 1 a table has that are not locked. */
  const free = async (table: string): Promise<number | null> =>
    (await database.pool.query(`select from ${table} where id = 1 for update skip locked`)).rowCount;

  it("records the commit point in the migration and in its job", async () => {
    assert.equal(await migrations.markTransferred(database.pool, LEASE, "pve3"), true);
    assert.deepEqual(await migration("transfer_done, target_node, bytes_copied::int"), {
      transfer_done: true,
      target_node: "pve3",
      bytes_copied: 1000,
    });
    assert.deepEqual(await facts(), { facts: { transferDone: true } });
  });

  it("records no commit point for a worker that lost its lease", async () => {
    assert.equal(await migrations.markTransferred(database.pool, LOST_LEASE, "pve3"), false);
    assert.deepEqual(await migration("transfer_done, target_node"), { transfer_done: false, target_node: "pve2" });
    assert.deepEqual(await facts(), { facts: {} });
  });

  it("locks a migration, and not its job, until the end of the transaction", async () => {
    await inTransaction(database.pool, async (client) => {
      const locked = await migrations.lock(client, 1);
      assert.deepEqual([locked?.jobId, locked?.kind, locked?.parked], [1, "migration", false]);
      assert.deepEqual([await free("migration"), await free("job")], [0, 1]);
    });
    assert.equal(await migrations.lock(database.pool, 2), null);
  });

  it("never lowers the number of copied bytes", async () => {
    const progress = { ...LEASE, log: ["a line"] };
    assert.equal(await migrations.setProgress(database.pool, { ...progress, bytesCopied: 500 }), true);
    assert.equal(await migrations.setProgress(database.pool, { ...progress, bytesCopied: 400 }), true);
    assert.equal(await migrations.setProgress(database.pool, { ...progress, bytesCopied: null }), true);
    assert.deepEqual(await migration("bytes_copied::int, log"), { bytes_copied: 500, log: ["a line"] });
  });

  it("records no progress for a worker that lost its lease", async () => {
    assert.equal(await migrations.setProgress(database.pool, { ...LOST_LEASE, bytesCopied: 500, log: [] }), false);
    assert.deepEqual(await migration("bytes_copied"), { bytes_copied: null });
  });

  it("keeps what is known of a transfer that a new attempt does not repeat", async () => {
    await database.pool.query(
      "update migration set bytes_copied = 900, log = '{a,b}', status = 'failed', error = 'why', finished_at = now()",
    );
    await migrations.restart(database.pool, { id: 1, jobId: 2, targetVmid: 300 });
    assert.deepEqual(await migration("job_id, target_vmid, status, error, bytes_copied, log"), {
      job_id: 2,
      target_vmid: 300,
      status: "queued",
      error: null,
      bytes_copied: null,
      log: [],
    });
    await database.pool.query("update migration set bytes_copied = 900, log = '{a,b}', transfer_done = true");
    await migrations.restart(database.pool, { id: 1, jobId: 2, targetVmid: 300 });
    assert.deepEqual(await migration("bytes_copied::int, log"), { bytes_copied: 900, log: ["a", "b"] });
  });
});
