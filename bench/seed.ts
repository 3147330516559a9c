// `npm run bench -- seed GUESTS`: fills the database of DATABASE_URL, which must be empty, with a fleet of that size.
import { openDatabase } from "../src/db/database.js";
import { applySchemaChanges } from "../src/db/migrate.js";
import { createLogger } from "../src/observability/log.js";
import { fillFleet, fleetOf } from "./seed/fleet.js";

/** Filling takes longer than a request may. */
const PATIENCE = { connectMs: 30_000, statementMs: 300_000 };
const FILLING = { requests: PATIENCE, work: PATIENCE };

/** @throws Error when there is no database, or it has hosts already */
export async function seedDatabase(given: string | undefined): Promise<void> {
  const guests = Number(given);
  const url = process.env["DATABASE_URL"] ?? "";
  if (!Number.isInteger(guests) || guests < 1) throw new Error("seed needs a number of guests");
  if (url === "") throw new Error("seed needs DATABASE_URL: a PostgreSQL database that it may fill");
  const log = createLogger("warn", "bench");
  await applySchemaChanges(url, log);
  const database = openDatabase(url, log, FILLING);
  const { pool } = database;
  try {
    const { rowCount } = await pool.query("select from host limit 1");
    if (rowCount !== 0) throw new Error("The database has hosts already: seed fills an empty one only");
    const size = fleetOf(guests);
    await fillFleet(pool, size);
    process.stdout.write(`${size.hosts} hosts, ${size.hosts * size.nodesPerHost} nodes, ${guests} guests\n`);
  } finally {
    await database.close();
  }
}
