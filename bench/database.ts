// A throw-away PostgreSQL for benchmarks, with the schema applied.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase, type Database } from "../src/db.js";
import { eraseEmbeddedPostgres, startEmbeddedPostgres } from "../src/db/embedded.js";
import { applySchemaChanges } from "../src/db/migrate.js";
import { createLogger } from "../src/log.js";

/** Runs `work` against a fresh server, which is removed afterwards. */
export async function withBenchDatabase<Result>(
  work: (database: Database & { readonly url: string }) => Promise<Result>,
): Promise<Result> {
  const log = createLogger("error", "bench");
  const dataDirectory = await mkdtemp(join(tmpdir(), "drover-bench-"));
  const server = await startEmbeddedPostgres({ dataDirectory, port: 0, log, durable: false });
  try {
    await applySchemaChanges(server.url, log);
    const database = await openDatabase(server.url, log);
    try {
      return await work({ ...database, url: server.url });
    } finally {
      await database.close();
    }
  } finally {
    await server.stop();
    await eraseEmbeddedPostgres(dataDirectory, log);
    await rm(dataDirectory, { recursive: true, force: true });
  }
}
