// What hosts said of temporary tokens: the latest request counts, and what is forgotten does not come back.
import assert from "node:assert/strict";
import * as hosts from "../../src/store/hostSync.js";
import * as temporaryTokens from "../../src/store/temporaryToken.js";
import * as tokenRefusals from "../../src/store/tokenRefusal.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { insertRows } from "./rows.js";

const at = new Date("2026-01-02T03:04:05Z");

describe("store/tokenRefusal", () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
    await insertRows(database);
  });
  afterEach(() => database.close());

  const kept = async (): Promise<unknown[]> =>
    (await database.pool.query(`select token_id as id, words, refused_at as at from token_refusal where host_id = 1`))
      .rows;
  const refuse = (tokenId: number, words = "no"): Promise<void> =>
    tokenRefusals.record(database.pool, { hostId: 1, tokenId, words, at });
  const make = (tokenId: number): Promise<void> => tokenRefusals.clear(database.pool, { hostId: 1, tokenId });

  const ask = async (name: string): Promise<number> => {
    const token = { hostId: 1, jobId: 1, name, grants: [], expiresAt: at };
    return (await temporaryTokens.insert(database.pool, token))?.id ?? 0;
  };

  it("keeps the answer to the latest request, in whatever order answers come", async () => {
    await refuse(2);
    assert.deepEqual(await kept(), [{ id: 2, words: "no", at }]);
    await make(1);
    assert.deepEqual(await kept(), [{ id: 2, words: "no", at }]);
    await make(3);
    assert.deepEqual(await kept(), [{ id: 3, words: null, at: null }]);
    await refuse(2);
    assert.deepEqual(await kept(), [{ id: 3, words: null, at: null }]);
    await refuse(4, "never");
    assert.deepEqual(await kept(), [{ id: 4, words: "never", at }]);
  });

  it("keeps 300 characters of words, and cuts what is longer", async () => {
    await refuse(1, "x".repeat(300));
    assert.deepEqual(await kept(), [{ id: 1, words: "x".repeat(300), at }]);
    await refuse(2, "y".repeat(301));
    assert.deepEqual(await kept(), [{ id: 2, words: `${"y".repeat(299)}…`, at }]);
  });

  it("forgets what was refused, and every answer to requests that are under way", async () => {
    const [before, underWay] = [await ask("a"), await ask("b")];
    await refuse(before);
    await tokenRefusals.forget(database.pool, 1);
    assert.deepEqual(await kept(), [{ id: underWay, words: null, at: null }]);
    await refuse(underWay);
    assert.deepEqual(await kept(), [{ id: underWay, words: null, at: null }]);
    const later = await ask("c");
    await refuse(later);
    assert.deepEqual(await kept(), [{ id: later, words: "no", at }]);
  });

  it("forgets for good, also once the ledger no longer has the token", async () => {
    await refuse(7);
    await tokenRefusals.forget(database.pool, 1);
    assert.deepEqual(await kept(), [{ id: 7, words: null, at: null }]);
  });

  it("keeps each host apart, nothing of one that is not connected, and goes with its host", async () => {
    const gone = 9;
    await tokenRefusals.record(database.pool, { hostId: gone, tokenId: 1, words: "no", at });
    await tokenRefusals.clear(database.pool, { hostId: gone, tokenId: 2 });
    await tokenRefusals.forget(database.pool, gone);
    await refuse(1);
    await tokenRefusals.forget(database.pool, 2);
    assert.deepEqual(await kept(), [{ id: 1, words: "no", at }]);
    await hosts.remove(database.pool, 1);
    assert.deepEqual(await kept(), []);
  });
});
