// Numbers of guests that triggers keep: at every moment those of the guests, and no writer waits for another to keep them.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import type { PoolClient } from "pg";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { plant } from "../support/rows.js";

const HOSTS = 3;
const WRITERS = 4;

/** Guests of a host that no other writer has in hand. */
const some = (condition: string): string =>
  `(select id from guest where host_id = $1 and ${condition} order by id limit $2 for update skip locked)`;

/** What a writer does to some guests of one host; every statement has both parameters. */
const CHANGES = {
  come: `insert into guest (host_id, node_id, type, vmid) select $1, $1, 'qemu', nextval('vmids') from generate_series(1, $2::integer)`,
  "come as gone": `
    insert into guest (host_id, node_id, type, vmid, gone_at) select $1, $1, 'qemu', nextval('vmids'), now() from generate_series(1, $2::integer)`,
  go: `update guest set gone_at = now() where id in ${some("gone_at is null")}`,
  return: `update guest set gone_at = null where id in ${some("gone_at is not null")}`,
  "change hosts": `update guest set host_id = host_id % ${HOSTS} + 1, node_id = host_id % ${HOSTS} + 1 where id in ${some("true")}`,
  "are busy": `update guest set cpu_usage = 0.5 where id in ${some("true")}`,
  "are deleted": `delete from guest where id in ${some("true")}`,
};

interface Change {
  readonly statement: string;
  readonly host: number;
  readonly guests: number;
}

interface Transaction {
  readonly changes: readonly Change[];
  readonly isKept: boolean;
}

const change = fc.record({
  statement: fc.constantFrom(...Object.values(CHANGES)),
  host: fc.integer({ min: 1, max: HOSTS }),
  guests: fc.integer({ min: 1, max: 4 }),
});
const transaction = fc.record({
  changes: fc.array(change, { minLength: 1, maxLength: 4 }),
  isKept: fc.boolean(),
});
const writers = fc.array(fc.array(transaction, { minLength: 5, maxLength: 15 }), {
  minLength: WRITERS,
  maxLength: WRITERS,
});

describe("counts of guests", () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
    await database.pool.query(`create sequence vmids start 100`);
    const hosts = Array.from({ length: HOSTS }, (_, index) => index + 1);
    await plant(database.pool, {
      host: hosts.map((host) => ({ name: `h${host}` })),
      node: hosts.map((host) => ({ host_id: host })),
    });
  });
  afterEach(() => database.close());

  /** Hosts whose kept number is not the number of their guests, in one snapshot. */
  async function wrongCounts(): Promise<unknown[]> {
    const { rows } = await database.pool.query(`
      select h.id, counted, kept
        from host h, lateral (select count(*) as counted from guest g where g.host_id = h.id and g.gone_at is null) g,
          lateral (select coalesce(sum(c.present), 0) as kept from guest_count c where c.host_id = h.id) c
       where counted <> kept`);
    return rows;
  }

  async function write(transactions: readonly Transaction[]): Promise<void> {
    const client = await database.pool.connect();
    try {
      for (const { changes, isKept } of transactions) {
        await client.query("begin");
        for (const { statement, host, guests } of changes) await client.query(statement, [host, guests]);
        await client.query(isKept ? "commit" : "rollback");
      }
    } finally {
      client.release();
    }
  }

  it("are those of the guests at every moment, whatever writers do at the same time", () =>
    fc.assert(
      fc.asyncProperty(writers, async (scripts) => {
        const progress = { left: scripts.length };
        const writing = scripts.map((script) => write(script).finally(() => progress.left--));
        const written = Promise.all(writing);
        while (progress.left > 0) assert.deepEqual(await wrongCounts(), []);
        await written;
        assert.deepEqual(await wrongCounts(), []);
      }),
      { numRuns: 10 },
    ));

  /** Runs `work` in a transaction that waits for nothing and is undone. */
  async function unwaiting(work: (client: PoolClient) => Promise<void>): Promise<void> {
    const client = await database.pool.connect();
    try {
      await client.query("begin; set local lock_timeout = '50ms'");
      await work(client);
      await client.query("rollback");
    } finally {
      client.release();
    }
  }

  it("are kept by writers that do not wait for each other", async () => {
    await database.pool.query(CHANGES.come, [1, 2]);
    await unwaiting(async (first) => {
      await first.query(CHANGES.go, [1, 1]);
      await unwaiting(async (second) => {
        await second.query(CHANGES.go, [1, 1]);
        await unwaiting(async (third) => {
          await third.query(CHANGES.come, [1, 1]);
        });
      });
    });
    assert.deepEqual(await wrongCounts(), []);
  });

  it("are few rows, however many writers came one after the other", async () => {
    for (let time = 0; time < 20; time++) await database.pool.query(CHANGES.come, [1, 1]);
    const { rows } = await database.pool.query("select present from guest_count");
    assert.deepEqual(rows, [{ present: 20 }]);
  });

  it("go with their host", async () => {
    await database.pool.query(CHANGES.come, [1, 2]);
    await database.pool.query("delete from guest where host_id = 2; delete from host where id = 1");
    assert.deepEqual((await database.pool.query("select * from guest_count")).rows, []);
  });
});
