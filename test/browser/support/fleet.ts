// Runs a service with a large fleet in a database of its own, beside the demo, for what must hold however many there are.
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Pool } from "pg";
import { fillFleet, type FleetSize } from "../../../bench/seed/fleet.js";
import { HOST_SECRET } from "../../../src/access/secretPurpose.js";
import { openDatabase } from "../../../src/db/database.js";
import { borrowEmbeddedPostgres, eraseEmbeddedPostgres } from "../../../src/db/embedded.js";
import { applySchemaChanges } from "../../../src/db/migrate.js";
import { PATIENCE } from "../../support/database.js";
import { secretBox } from "../../../src/access/secretBox.js";
import { WIDE_GUARDS } from "../../support/guards.js";
import { silentLog } from "../../support/log.js";
import { runProgram } from "../../support/programs.js";

/** A throw-away cluster need not wait for the disk. */
const THROW_AWAY = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" };
const PASSWORD = "a password for the trial of the fleet";

export interface RunningFleet {
  readonly url: string;
  readonly admin: { readonly username: string; readonly password: string };
  stop(): Promise<void>;
}

/** The role `api` alone: nothing tries to reach hosts that do not exist. */
export async function startFleet(size: FleetSize): Promise<RunningFleet> {
  const directory = await mkdtemp(join(tmpdir(), "drover-fleet-"));
  const options = { dataDirectory: directory, port: 0, log: silentLog, settings: THROW_AWAY, durable: false };
  const postgres = await borrowEmbeddedPostgres(options);
  const secret = randomBytes(32).toString("base64");
  await fill(postgres.url, size, secret);
  const service = runProgram("app/main.js", [], {
    ...WIDE_GUARDS,
    DATABASE_URL: postgres.url,
    DROVER_DATA: directory,
    DROVER_SECRET: secret,
    DROVER_ROLE: "api",
    DROVER_ADMIN_PASSWORD: PASSWORD,
    LOG_LEVEL: "info",
    PORT: "0",
  });
  const stop = async (): Promise<void> => {
    await service.end();
    await postgres.stop();
    await eraseEmbeddedPostgres(directory, silentLog);
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await service.printed('"msg":"ready"');
  } catch (error) {
    await stop();
    throw error;
  }
  const [, url = ""] = /"url":"(http:[^"]+)"/.exec(service.output()) ?? [];
  return { url, admin: { username: "admin", password: PASSWORD }, stop };
}

async function fill(url: string, size: FleetSize, secret: string): Promise<void> {
  await applySchemaChanges(url, silentLog);
  const database = openDatabase(url, silentLog, { requests: PATIENCE, work: PATIENCE });
  await fillFleet(database.pool, size);
  await keepCurrent(database.pool);
  await refuseAtOnce(database.pool, secretBox(secret).seal("none", HOST_SECRET));
  await database.close();
}

/** No agent reports and no host is read: both count as current however long the trial takes. */
async function keepCurrent(pool: Pool): Promise<void> {
  await pool.query(`update agent set last_seen_at = now() + interval '1 day'`);
  await pool.query(`update host set last_sync_at = now() + interval '1 day'`);
}

/** Nobody listens where the hosts are said to be: what needs one is told so without delay. */
async function refuseAtOnce(pool: Pool, secret: string): Promise<void> {
  await pool.query(
    `update host set hostname = '127.1.' || id / 250 || '.' || 1 + id % 250, port = 1, secret_encrypted = $1`,
    [secret],
  );
}
