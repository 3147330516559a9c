// Applies the schema changes, one process at a time: the others wait under an advisory lock and find nothing left to do.
import { Migrator } from "@mikro-orm/migrations";
import { MikroORM } from "@mikro-orm/postgresql";
import { Client, type Pool } from "pg";
import type { Logger } from "../observability/log.js";
import { schemaChanges } from "./changes/index.js";
import { untilNoDeadlock } from "./deadlock.js";
import { giveBackLost } from "./pool.js";

const TABLE = "schema_change";
/** "drover" in ASCII: the lock's number must only differ from those of other programs in the database. */
const LOCK_KEY = "110425560344946";

/** Without a time-out of statements: a change of the schema, and the wait for another process's, take as long as they take. */
const PATIENT = { application_name: "drover schema", connectionTimeoutMillis: 10_000, keepAlive: true };

/**
 * Brings the database's schema up to date; all changes or none.
 * @returns names of the changes that this process applied
 * @throws Error when the database has changes that this version does not know
 */
export async function applySchemaChanges(url: string, log: Logger): Promise<string[]> {
  const client = new Client({ connectionString: url, ...PATIENT });
  // The statement under way fails with a lost connection; without a listener the process would, too.
  client.on("error", (error) => log.warn({ err: error }, "the connection was lost while the schema was changed"));
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [LOCK_KEY]);
    refuseNewerSchema(await appliedChanges(client));
    // Processes of the version before may be at work meanwhile, and write the tables in another order.
    return await untilNoDeadlock(log, () => applyPending(url));
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
    driverOptions: { connectionString: url, ...PATIENT, onPoolCreated: giveBackLost },
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
