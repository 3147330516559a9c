// A transaction whose COMMIT is cut off: whoever began it hears what became of it.
import assert from "node:assert/strict";
import type { Pool } from "pg";
import { databaseTrouble } from "../../src/db/databaseTrouble.js";
import { inTransactionWithCommitCheck } from "../../src/db/transactionWithCommitCheck.js";
import { openPool } from "../../src/db/pool.js";
import { createEmptyDatabase, PATIENCE } from "../support/database.js";
import { silentLog } from "../support/log.js";
import { startProxy } from "../support/proxy.js";

describe("db/transactionWithCommitCheck", () => {
  let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
  let proxy: Awaited<ReturnType<typeof startProxy>>;
  let pool: Pool;
  before(async () => {
    database = await createEmptyDatabase();
    proxy = await startProxy(database.url);
    pool = openPool({ url: proxy.url, purpose: "test", size: 2, log: silentLog, patience: PATIENCE });
    await pool.query("create table made (name text)");
  });
  after(async () => {
    await pool.end();
    await proxy.close();
    await database.drop();
  });

  const make = (name: string): Promise<string> =>
    inTransactionWithCommitCheck(pool, async (client) => {
      await client.query("insert into made values ($1)", [name]);
      return name;
    });
  const made = async (name: string): Promise<number | null> =>
    (await pool.query("select from made where name = $1", [name])).rowCount;

  it("succeeds when only the answer to its commit was lost", async () => {
    proxy.cut("commit", "after");
    assert.equal(await make("answer lost"), "answer lost");
    assert.equal(await made("answer lost"), 1);
  });

  for (const words of ["insert", "pg_current_xact_id", "commit"]) {
    it(`fails, and has done nothing, when it was cut off before ${words}`, async () => {
      proxy.cut(words, "before");
      const error: unknown = await make(words).then(
        () => assert.fail("it succeeded"),
        (reason: unknown) => reason,
      );
      assert.equal(databaseTrouble(error), "away");
      assert.equal(await made(words), 0);
    });
  }

  it("throws what its work throws", async () => {
    const refused = inTransactionWithCommitCheck(pool, async (client) => {
      await client.query("insert into made values ('refused')");
      throw new RangeError("refused");
    });
    await assert.rejects(refused, RangeError);
    assert.equal(await made("refused"), 0);
  });
});
