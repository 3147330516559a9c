// `drover migrate-db`: brings the database's schema up to date.
import { Command } from "commander";
import { applySchemaChanges } from "../../src/db/migrate.js";
import { reachDatabase } from "../../src/db/reach.js";
import { commandConfig } from "./commandConfig.js";
import { commandLog } from "./operator.js";
import { print } from "./print.js";

const PATIENCE_MS = 10_000;

export function databaseCommand(): Command {
  return new Command("migrate-db").description("apply the schema changes that the database lacks").action(migrate);
}

async function migrate(): Promise<void> {
  const log = commandLog();
  const reached = await reachDatabase(await commandConfig(process.env), "borrow", { log, patienceMs: PATIENCE_MS });
  try {
    const applied = await applySchemaChanges(reached.url, log);
    print(applied.length === 0 ? "The database is up to date." : `Applied: ${applied.join(", ")}`);
  } finally {
    await reached.stop();
  }
}
