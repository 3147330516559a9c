// Units of work: who waits for one of their few connections.
import assert from "node:assert/strict";
import { databaseTrouble } from "../../src/access/databaseTrouble.js";
import { UserAccount } from "../../src/entities/userAccount.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";

/** Connections for units of work, and those who may wait for one. */
const CONNECTIONS = 3;
const MOST_WAITING = 2_000;

describe("units of work", () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.close());

  it("refuse at once who comes when enough wait, and serve those", async function () {
    this.timeout(120_000);
    const holders = Array.from({ length: CONNECTIONS }, () => database.entities());
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
});
