// Schema changes: applied once, by one process at a time, and never over a newer schema.
import assert from "node:assert/strict";
import { Client } from "pg";
import { schemaChanges } from "../../src/db/changes/index.js";
import { applySchemaChanges, pendingSchemaChanges } from "../../src/db/migrate.js";
import { isDatabaseTrouble } from "../../src/db/databaseTrouble.js";
import { createEmptyDatabase } from "../support/database.js";
import { silentLog } from "../support/log.js";
import { startProxy } from "../support/proxy.js";

const NAMES = schemaChanges.map(({ name }) => name);

describe("db/migrate", () => {
  let url: string;
  let drop: () => Promise<void>;
  let client: Client;
  beforeEach(async () => {
    ({ url, drop } = await createEmptyDatabase());
    client = new Client({ connectionString: url });
    await client.connect();
  });
  afterEach(async () => {
    await client.end();
    await drop();
  });

  it("finds everything pending in an empty database, and nothing afterwards", async () => {
    assert.deepEqual(await pendingSchemaChanges(client), NAMES);
    assert.deepEqual(await applySchemaChanges(url, silentLog), NAMES);
    assert.deepEqual(await pendingSchemaChanges(client), []);
    assert.deepEqual(await applySchemaChanges(url, silentLog), []);
  });

  it("lets four processes start at once: one applies, all succeed", async () => {
    const applied = await Promise.all(Array.from({ length: 4 }, () => applySchemaChanges(url, silentLog)));
    assert.deepEqual(applied.flat(), NAMES);
    assert.equal(applied.filter((names) => names.length > 0).length, 1);
  });

  it("refuses a database of a newer version", async () => {
    await applySchemaChanges(url, silentLog);
    await client.query("insert into schema_change (name, executed_at) values ('9999-future', now())");
    await assert.rejects(applySchemaChanges(url, silentLog), /newer version of Drover.*9999-future/);
  });

  it("reports a database that is lost, and applies everything once it is back", async () => {
    const proxy = await startProxy(url);
    proxy.cut("begin", "before");
    await assert.rejects(applySchemaChanges(proxy.url, silentLog), isDatabaseTrouble);
    assert.deepEqual(await applySchemaChanges(proxy.url, silentLog), NAMES);
    await proxy.close();
  });

  it("applies all or nothing", async () => {
    await client.query("create table job (id integer)");
    await assert.rejects(applySchemaChanges(url, silentLog), /job/);
    const { rows } = await client.query("select to_regclass('host') as host");
    assert.deepEqual(rows, [{ host: null }]);
  });
});
