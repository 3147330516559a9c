// Waits until a database accepts statements, with log messages at growing intervals.
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { ConfigError } from "../config/configError.js";
import type { Logger } from "../observability/log.js";

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;
const FIRST_NOTICE_MS = 1_000;
const LONGEST_NOTICE_MS = 60_000;
const CONNECT_TIMEOUT_MS = 5_000;

/** SQLSTATEs that no waiting resolves: wrong password, no such role or database, no rights. */
const PERMANENT = new Set(["28P01", "28000", "3D000", "42501"]);

export interface Wait {
  readonly log: Logger;
  /** Milliseconds after which the wait fails; default: never. */
  readonly patienceMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Returns when the database takes statements. @throws ConfigError when it refuses for good; Error when it does not answer in time */
export async function waitForDatabase(url: string, { log, patienceMs = Infinity, signal }: Wait): Promise<void> {
  const begin = Date.now();
  let pause = FIRST_PAUSE_MS;
  let notice = FIRST_NOTICE_MS;
  for (;;) {
    const fault = await firstFault(url);
    if (fault === null) return;
    const waited = Date.now() - begin;
    if (isPermanent(fault)) {
      throw new ConfigError(`DATABASE_URL: the database cannot be used: ${describe(fault)}`, { cause: fault });
    }
    if (waited > patienceMs) throw new Error(`The database cannot be used: ${describe(fault)}`, { cause: fault });
    if (waited >= notice) {
      log.warn({ waitedMs: waited, reason: describe(fault) }, "waiting for the database");
      notice = waited + Math.min(notice * 2, LONGEST_NOTICE_MS);
    }
    await delay(pause, undefined, { signal });
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }
}

async function firstFault(url: string): Promise<unknown> {
  const client = new Client({
    connectionString: url,
    application_name: "drover wait",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  let lost: unknown = null;
  client.on("error", (error) => (lost = error));
  try {
    await client.connect();
    await client.query("select 1");
    await client.end();
    return lost;
  } catch (error) {
    await client.end().catch((reason: unknown) => (lost = reason));
    return error;
  }
}

function isPermanent(fault: unknown): boolean {
  return fault instanceof Error && "code" in fault && PERMANENT.has(String(fault.code));
}

function describe(fault: unknown): string {
  if (fault instanceof AggregateError) return fault.errors.map(describe).join("; ");
  return fault instanceof Error ? fault.message : String(fault);
}
