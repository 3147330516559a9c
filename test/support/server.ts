// One embedded PostgreSQL for a whole run of tests, shared by the processes that the run has, and started by the first that needs it.
import { mkdtemp, readdir, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { borrowEmbeddedPostgres, eraseEmbeddedPostgres } from "../../src/db/embedded.js";
import { applySchemaChanges } from "../../src/db/migrate.js";
import { silentLog } from "./log.js";

/** Where the run's processes find the directory of their server. */
const DIRECTORY = "DROVER_TEST_DIRECTORY";
const PREFIX = "drover-test-";
/** A database with the schema applied and no rows but the defaults. */
export const TEMPLATE = "migrated";
/** A cluster that is thrown away need not wait for the disk. */
const THROW_AWAY = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  max_connections: "300",
  max_wal_size: "256MB",
};
/** A file system in memory, on Linux. */
const IN_MEMORY = "/dev/shm";
/** More than the server of a run takes. */
const ROOM_BYTES = 2 * 2 ** 30;
/** What the rest of the machine needs while the server's files are in memory. */
const SPARE_MEMORY_BYTES = 2 * 2 ** 30;

/** This process's connection to the run's server. */
interface TestServer {
  readonly admin: Client;
  readonly urlOf: (database: string) => string;
  readonly stop: () => Promise<void>;
}

let server: Promise<TestServer> | null = null;

/** Starts the run's server unless another process of the run has. */
export const testServer = (): Promise<TestServer> => (server ??= startServer());

/** Called once, before the run's processes are made. */
export async function beginRun(): Promise<void> {
  for (const parent of [IN_MEMORY, tmpdir()]) await sweepKilledRuns(parent);
  const directory = await mkdtemp(join(await placeOfRuns(), `${PREFIX}${process.pid}-`));
  process.env[DIRECTORY] = directory;
  // The same programs are started dozens of times: Node.js compiles them once.
  process.env["NODE_COMPILE_CACHE"] = join(directory, "compiled");
}

/** A database is a thousand files that soon are deleted: on a disk, making and dropping them is a good part of a run. */
async function placeOfRuns(): Promise<string> {
  // Another system has no such folder, and a container often a tiny one: then the disk does.
  const found = await statfs(IN_MEMORY).catch(() => null);
  const room = found === null ? 0 : found.bavail * found.bsize;
  const isRoomy = room >= ROOM_BYTES && process.availableMemory() >= ROOM_BYTES + SPARE_MEMORY_BYTES;
  return isRoomy ? IN_MEMORY : tmpdir();
}

/** Called once, when the run's processes have ended: ends the server, if a test has started it. */
export async function endRun(): Promise<void> {
  // A start that failed was reported by the test that asked for it.
  const started = await server?.catch(() => null);
  server = null;
  await started?.stop();
  await removeRun(runDirectory());
}

function runDirectory(): string {
  const directory = process.env[DIRECTORY];
  if (directory === undefined)
    throw new Error("Tests with a database need mocha's --require dist/test/support/hooks.js");
  return directory;
}

async function startServer(): Promise<TestServer> {
  const borrowed = await borrowEmbeddedPostgres({
    dataDirectory: runDirectory(),
    port: 0,
    log: silentLog,
    settings: THROW_AWAY,
    durable: false,
  });
  const urlOf = (database: string): string => borrowed.url.replace(/[^/]*$/, database);
  const admin = new Client({ connectionString: urlOf("postgres") });
  await admin.connect();
  await makeTemplate(admin, borrowed.url);
  return {
    admin,
    urlOf,
    async stop() {
      await admin.end();
      await borrowed.stop();
    },
  };
}

/** The first process of the run makes it, the others wait for that. */
async function makeTemplate(admin: Client, url: string): Promise<void> {
  await admin.query("select pg_advisory_lock(1)");
  const { rowCount } = await admin.query("select from pg_database where datname = $1", [TEMPLATE]);
  if (rowCount === 0) {
    await applySchemaChanges(url, silentLog);
    await admin.query(`alter database drover rename to ${TEMPLATE}`);
  }
  await admin.query("select pg_advisory_unlock(1)");
}

async function removeRun(directory: string): Promise<void> {
  await eraseEmbeddedPostgres(directory, silentLog);
  await rm(directory, { recursive: true, force: true });
}

/** A run that was killed could not end its server. */
async function sweepKilledRuns(parent: string): Promise<void> {
  // A system without the folder has nothing to sweep there.
  for (const entry of await readdir(parent).catch(() => [])) {
    const [, pid] = new RegExp(`^${PREFIX}(\\d+)-`).exec(entry) ?? [];
    if (pid === undefined || isAlive(Number(pid))) continue;
    // Another run may sweep the same directory at this moment, or it is another account's: neither is this run's concern.
    await removeRun(join(parent, entry)).catch(() => undefined);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
