// A throw-away PostgreSQL for benchmarks, with the schema applied.
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase, type Database } from "../src/db/database.js";
import { embeddedServerPid, eraseEmbeddedPostgres, startEmbeddedPostgres } from "../src/db/embedded.js";
import { applySchemaChanges } from "../src/db/migrate.js";
import { createLogger } from "../src/observability/log.js";
import { postgresCpu } from "./postgresCpu.js";

/** Filling takes longer than a request may. */
const PATIENCE = { connectMs: 30_000, statementMs: 300_000 };
const FILLING = { requests: PATIENCE, work: PATIENCE };
/** Figures are to tell of the service, not of the disk, and the cluster is thrown away: it does not wait for the disk. */
const THROW_AWAY = { fsync: "off", full_page_writes: "off", max_connections: "200", shared_buffers: "256MB" };

/** A database for one benchmark. */
export interface BenchDatabase extends Pick<Database, "pool"> {
  readonly url: string;
  /** CPU time of the whole server so far, microseconds; NaN where the system does not tell. */
  cpu(): Promise<number>;
}

/** Where the database of a benchmark's process lies: whoever started the process can remove what it left behind. */
const dataDirectoryOf = (pid: number): string => join(tmpdir(), `drover-bench-${pid}`);

/** Ends and removes what a process that has ended left of its database; none is fine. */
export async function removeBenchDatabase(pid: number): Promise<void> {
  const dataDirectory = dataDirectoryOf(pid);
  await eraseEmbeddedPostgres(dataDirectory, createLogger("error", "bench"));
  await rm(dataDirectory, { recursive: true, force: true });
}

/** Runs `work` against a fresh server, which is removed afterwards; one at a time. */
export async function withBenchDatabase<Result>(work: (database: BenchDatabase) => Promise<Result>): Promise<Result> {
  const log = createLogger("error", "bench");
  await removeBenchDatabase(process.pid);
  const dataDirectory = dataDirectoryOf(process.pid);
  const server = await startEmbeddedPostgres({ dataDirectory, port: 0, log, settings: THROW_AWAY, durable: false });
  try {
    await applySchemaChanges(server.url, log);
    const database = openDatabase(server.url, log, FILLING);
    try {
      const postmaster = (await embeddedServerPid(dataDirectory, log)) ?? 0;
      return await work({ pool: database.pool, url: server.url, cpu: () => postgresCpu(postmaster) });
    } finally {
      await database.close();
    }
  } finally {
    await server.stop();
    await removeBenchDatabase(process.pid);
  }
}
