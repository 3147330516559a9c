// Units of work share the connections of requests: waiting for one is bounded, and lost ones are replaced.
import assert from "node:assert/strict";
import { databaseTrouble } from "../../src/db/databaseTrouble.js";
import { openDatabase, REQUEST_CONNECTIONS } from "../../src/db/database.js";
import { UserAccount } from "../../src/entities/userAccount.js";
import { createTestDatabase, PATIENCE, type TestDatabase } from "../support/database.js";
import { silentLog } from "../support/log.js";
import { startProxy } from "../support/proxy.js";

/** How many may wait for a connection. */
const MOST_WAITING = 2_000;

describe("units of work", () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.close());

  it("refuse at once who comes when enough wait, and serve those", async function () {
    this.timeout(300_000);
    const holders = Array.from({ length: REQUEST_CONNECTIONS }, () => database.entities());
    await Promise.all(holders.map((holder) => holder.begin()));
    const { promise: refusal, resolve: refuse } = Promise.withResolvers<unknown>();
    const waiting = Array.from({ length: MOST_WAITING + 1 }, async () => {
      try {
        return await database.entities().count(UserAccount);
      } catch (error) {
        refuse(error);
        return null;
      }
    });
    assert.equal(databaseTrouble(await refusal), "full");
    await Promise.all(holders.map((holder) => holder.rollback()));
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
      const lossy = await openDatabase(proxy.url, silentLog, { requests: PATIENCE, work: PATIENCE });
      const write = () => lossy.entities().transactional((unit) => unit.count(UserAccount));
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
