// Transactions share the connections of requests: waiting for one is bounded, and lost ones are replaced.
import assert from "node:assert/strict";
import type { PoolClient } from "pg";
import { databaseTrouble } from "../../src/db/databaseTrouble.js";
import { openDatabase, REQUEST_CONNECTIONS } from "../../src/db/database.js";
import { inTransaction } from "../../src/db/transaction.js";
import { createTestDatabase, PATIENCE, type TestDatabase } from "../support/database.js";
import { silentLog } from "../support/log.js";
import { startProxy } from "../support/proxy.js";

/** How many may wait for a connection. */
const MOST_WAITING = 2_000;

async function users(client: PoolClient): Promise<number> {
  const { rows } = await client.query<{ count: number }>("select count(*)::int as count from user_account");
  return rows[0]?.count ?? Number.NaN;
}

describe("transactions", () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.close());

  it("refuse at once who comes when enough wait, and serve those", async function () {
    this.timeout(300_000);
    const holders = await Promise.all(Array.from({ length: REQUEST_CONNECTIONS }, () => database.pool.connect()));
    const { promise: refusal, resolve: refuse } = Promise.withResolvers<unknown>();
    const waiting = Array.from({ length: MOST_WAITING + 1 }, async () => {
      try {
        return await inTransaction(database.pool, users);
      } catch (error) {
        refuse(error);
        return null;
      }
    });
    assert.equal(databaseTrouble(await refusal), "full");
    for (const holder of holders) holder.release();
    const counts = await Promise.all(waiting);
    assert.equal(counts.filter((count) => count === 0).length, MOST_WAITING);
  });

  for (const { words, moment } of [
    { words: "begin", moment: "before" },
    { words: "begin", moment: "after" },
    { words: "commit", moment: "before" },
    { words: "commit", moment: "after" },
  ] as const) {
    it(`go on when connections are lost ${moment} a ${words}, more often than there are any`, async () => {
      const proxy = await startProxy(database.url);
      const lossy = openDatabase(proxy.url, silentLog, { requests: PATIENCE, work: PATIENCE });
      const write = () => inTransaction(lossy.pool, users);
      for (let lost = 0; lost <= REQUEST_CONNECTIONS; lost++) {
        proxy.cut(words, moment);
        const error: unknown = await write().then(
          () => assert.fail("it was not lost"),
          (reason: unknown) => reason,
        );
        assert.equal(databaseTrouble(error), "away");
      }
      assert.equal(await write(), 0);
      await lossy.close();
      await proxy.close();
    });
  }
});
