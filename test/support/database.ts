// One embedded PostgreSQL for a whole run of tests, and a fresh migrated database for whoever asks.
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { openDatabase, type Database } from "../../src/db.js";
import { eraseEmbeddedPostgres, startEmbeddedPostgres } from "../../src/db/embedded.js";
import { applySchemaChanges } from "../../src/db/migrate.js";
import { silentLog } from "./log.js";

/** On a slow machine many at once wait long for their turn. */
export const PATIENCE = { connectMs: 120_000, statementMs: 120_000 };
const PREFIX = "drover-test-";
const TEMPLATE = "migrated";
/** A cluster that is thrown away need not wait for the disk. */
const THROW_AWAY = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: "300" };

/** A database of its own with the schema applied and no rows but the defaults. */
export interface TestDatabase extends Database {
  readonly url: string;
}

interface TestServer {
  readonly admin: Client;
  readonly urlOf: (database: string) => string;
  readonly stop: () => Promise<void>;
}

let server: Promise<TestServer> | null = null;
let databases = 0;

/** Clones the migrated template in a few milliseconds. `close` ends its connections and drops it. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { url, drop } = await createEmptyDatabase(TEMPLATE);
  const database = await openDatabase(url, silentLog, { requests: PATIENCE, work: PATIENCE });
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
  const { admin, urlOf } = await (server ??= startServer());
  const name = `test_${++databases}`;
  await admin.query(`create database ${name} template ${template} strategy file_copy`);
  return {
    url: urlOf(name),
    async drop() {
      await admin.query(`drop database ${name} with (force)`);
    },
  };
}

/** Ends the server of this run, if a test has started it. */
export async function stopTestServer(): Promise<void> {
  // A start that failed has cleaned up and was reported by the test that asked for it.
  const started = await server?.catch(() => null);
  server = null;
  await started?.stop();
}

async function startServer(): Promise<TestServer> {
  await sweepKilledRuns();
  const directory = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
  const embedded = await startEmbeddedPostgres({
    dataDirectory: directory,
    port: 0,
    log: silentLog,
    settings: THROW_AWAY,
    durable: false,
  });
  const stop = async (): Promise<void> => {
    await embedded.stop();
    await removeServer(directory);
  };
  try {
    return await withTemplate(embedded.url, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function withTemplate(anyUrl: string, stop: () => Promise<void>): Promise<TestServer> {
  const urlOf = (database: string): string => anyUrl.replace(/[^/]*$/, database);
  await applySchemaChanges(anyUrl, silentLog);
  const admin = new Client({ connectionString: urlOf("postgres") });
  await admin.connect();
  await admin.query(`alter database drover rename to ${TEMPLATE}`);
  return {
    admin,
    urlOf,
    async stop() {
      await admin.end();
      await stop();
    },
  };
}

async function removeServer(directory: string): Promise<void> {
  await eraseEmbeddedPostgres(directory, silentLog);
  await rm(directory, { recursive: true, force: true });
}

/** A run that was killed could not end its server. */
async function sweepKilledRuns(): Promise<void> {
  for (const entry of await readdir(tmpdir())) {
    const [, pid] = new RegExp(`^${PREFIX}(\\d+)-`).exec(entry) ?? [];
    if (pid === undefined || isAlive(Number(pid))) continue;
    // Another run may sweep the same directory at this moment, or it is another account's: neither is this run's concern.
    await removeServer(join(tmpdir(), entry)).catch(() => undefined);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
