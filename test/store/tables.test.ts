// Statements of the store: prepared ones are compiled once, and their values are filled in by name.
import assert from "node:assert/strict";
import { insertedRow, prepared, rowsOf, tables } from "../../src/store/tables.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { insertRows } from "./rows.js";

interface Question {
  readonly hostId: number;
  readonly least: number;
}

let compilations = 0;
const guestsOf = prepared<Question, { vmid: number }>("guests-of", (given) => {
  compilations++;
  return tables.selectFrom("guest").select("vmid").where("host_id", "=", given.hostId).where("vmid", ">=", given.least);
});

describe("store/tables", () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
    await insertRows(database);
  });
  after(() => database.close());

  it("fills in the values of each run", async () => {
    assert.deepEqual(await rowsOf(database.pool, guestsOf({ hostId: 1, least: 101 })), [{ vmid: 101 }]);
    assert.deepEqual(await rowsOf(database.pool, guestsOf({ hostId: 2, least: 1 })), []);
    assert.equal(compilations, 1);
  });

  it("prepares a statement under its name", async () => {
    const client = await database.pool.connect();
    try {
      await rowsOf(client, guestsOf({ hostId: 1, least: 1 }));
      const { rows } = await client.query("select name from pg_prepared_statements where name = 'guests-of'");
      assert.deepEqual(rows, [{ name: "guests-of" }]);
    } finally {
      client.release();
    }
  });

  it("refuses an insert that inserted nothing", async () => {
    const insert = tables
      .insertInto("resource_lock")
      .columns(["key"])
      .expression((db) => db.selectFrom("guest").select("name").where("id", "=", 999))
      .returning("key");
    await assert.rejects(insertedRow(database.pool, insert), /INSERT returned no row/);
  });
});
