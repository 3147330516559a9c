// Runs work in one transaction and, when the answer to its COMMIT is lost, asks PostgreSQL for the transaction's status. For writes that must not be repeated.
import { setTimeout as delay } from "node:timers/promises";
import type { Pool, PoolClient } from "pg";
import { isDatabaseTrouble } from "./databaseTrouble.js";
import { inTransaction } from "./transaction.js";

/** Long enough for a restart of the server; callers do not wait much longer. */
const PATIENCE_MS = 5_000;
const PAUSE_MS = 250;

/** A transaction that is about to be committed, with its result. */
interface Prepared<Result> {
  readonly id: string;
  readonly result: Result;
}

/**
 * Commits what `work` did, or rolls it back when it throws.
 * @throws what `work` throws; the driver's error when nothing was committed, or when the status stays unknown for seconds
 */
export async function inTransactionWithCommitCheck<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const prepared: Prepared<Result>[] = [];
  try {
    return await inTransaction(pool, async (client) => {
      const result = await work(client);
      prepared.push({ id: await ownId(client), result });
      return result;
    });
  } catch (error) {
    const [last] = prepared;
    if (last === undefined || !isDatabaseTrouble(error) || !(await wasCommitted(pool, last.id))) throw error;
    return last.result;
  }
}

async function ownId(client: PoolClient): Promise<string> {
  const { rows } = await client.query<{ id: string }>("select pg_current_xact_id()::text as id");
  return rows[0]?.id ?? "";
}

/** @returns false also when the status stays unknown */
async function wasCommitted(pool: Pool, id: string): Promise<boolean> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const status = await statusOf(pool, id);
    if (status === "committed" || status === "aborted") return status === "committed";
    if (performance.now() > deadline) return false;
    await delay(PAUSE_MS);
  }
}

/** The status of a transaction; null while the database is away, or when a standby that lacks the transaction took over. */
async function statusOf(pool: Pool, id: string): Promise<string | null> {
  try {
    const { rows } = await pool.query<{ status: string | null }>("select pg_xact_status($1::xid8) as status", [id]);
    return rows[0]?.status ?? null;
  } catch (error) {
    if (isDatabaseTrouble(error) || isUnknownTransaction(error)) return null;
    throw error;
  }
}

/** `invalid_parameter_value`: "transaction ID is in the future". */
const isUnknownTransaction = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "22023";
