// A fresh migrated database, on the run's server, for whoever asks.
import { openDatabase, type Database } from "../../src/db/database.js";
import { silentLog } from "./log.js";
import { TEMPLATE, testServer } from "./server.js";

/** On a slow machine many at once wait long for their turn. */
export const PATIENCE = { connectMs: 120_000, statementMs: 120_000 };

/** A database of its own with the schema applied and no rows but the defaults. */
export interface TestDatabase extends Database {
  readonly url: string;
}

let databases = 0;

/** Clones the migrated template in a few milliseconds. `close` ends its connections and drops it. */
export async function createTestDatabase(clockOffsetSeconds = 0): Promise<TestDatabase> {
  return openTestDatabase(await createEmptyDatabase(TEMPLATE), clockOffsetSeconds);
}

/** A database that has its schema. `close` ends its connections and drops it. */
export async function openTestDatabase(
  { url, drop }: { url: string; drop: () => Promise<void> },
  clockOffsetSeconds = 0,
): Promise<TestDatabase> {
  const database = openDatabase(url, silentLog, { requests: PATIENCE, work: PATIENCE, clockOffsetSeconds });
  return {
    ...database,
    url,
    async close() {
      await database.close();
      await drop();
    },
  };
}

/** A database without the schema; `template` names the one it is cloned from. */
export async function createEmptyDatabase(template = "template1"): Promise<{ url: string; drop: () => Promise<void> }> {
  const { admin, urlOf } = await testServer();
  const name = `test_${process.pid}_${++databases}`;
  await admin.query(`create database ${name} template ${template} strategy file_copy`);
  return {
    url: urlOf(name),
    async drop() {
      await admin.query(`drop database ${name} with (force)`);
    },
  };
}
