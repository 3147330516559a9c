// Applies the schema changes under an advisory lock: concurrent processes wait, then find nothing left to apply.
import { Migrator } from "@mikro-orm/migrations";
import { MikroORM } from "@mikro-orm/postgresql";
import { Client, type Pool } from "pg";
import type { Logger } from "../observability/log.js";
import { schemaChanges } from "./changes/index.js";
import { retryOnDeadlock } from "./deadlock.js";
import { releaseBrokenClients } from "./pool.js";

const TABLE = "schema_change";
/** "drover" in ASCII: an arbitrary number that other programs in the database do not use. */
const LOCK_KEY = "110425560344946";

/** Without a statement time-out: a schema change, and the wait for another process, may take any time. */
const PATIENT = { application_name: "drover schema", connectionTimeoutMillis: 10_000, keepAlive: true };

/**
 * Brings the database's schema up to date; all changes or none.
 * @returns names of the changes that this process applied
 * @throws Error when the database has changes that this version does not have
 */
export async function applySchemaChanges(url: string, log: Logger): Promise<string[]> {
  const client = new Client({ connectionString: url, ...PATIENT });
  // The running statement fails with a lost connection; without a listener the process would exit.
  client.on("error", (error) => log.warn({ err: error }, "connection lost during a schema change"));
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [LOCK_KEY]);
    refuseNewerSchema(await appliedChanges(client));
    // Processes of the previous release may be running and lock the tables in another order.
    return await retryOnDeadlock(log, () => applyPending(url));
  } finally {
    await client.end();
  }
}

async function applyPending(url: string): Promise<string[]> {
  const orm = await MikroORM.init({
    clientUrl: url,
    entities: [],
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    migrations: { tableName: TABLE, migrationsList: schemaChanges, snapshot: false, silent: true },
    // MikroORM reads no more than the address from the URL; pg reads its parameters too, such as sslmode.
    driverOptions: { connectionString: url, ...PATIENT, onPoolCreated: releaseBrokenClients },
    pool: { min: 0, max: 2 },
  });
  try {
    return (await orm.migrator.up()).map(({ name }) => name);
  } finally {
    await orm.close();
  }
}

/** Names of this version's schema changes that the database does not have yet. */
export async function pendingSchemaChanges(database: Pool | Client): Promise<string[]> {
  const applied = new Set(await appliedChanges(database));
  return schemaChanges.map(({ name }) => name).filter((name) => !applied.has(name));
}

async function appliedChanges(database: Pool | Client): Promise<string[]> {
  const known = await database.query<{ there: boolean }>("select to_regclass($1) is not null as there", [TABLE]);
  if (known.rows[0]?.there !== true) return [];
  const { rows } = await database.query<{ name: string }>(`select name from ${TABLE}`);
  return rows.map(({ name }) => name);
}

function refuseNewerSchema(applied: readonly string[]): void {
  const ours = new Set(schemaChanges.map(({ name }) => name));
  const foreign = applied.filter((name) => !ours.has(name));
  if (foreign.length > 0) {
    throw new Error(
      `The database belongs to a newer version of Drover: it has the schema changes ${foreign.join(", ")}`,
    );
  }
}
