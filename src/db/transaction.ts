// Runs work in one transaction on one connection.
import type { Pool, PoolClient } from "pg";

/** Commits what `work` did, or rolls it back when it throws. */
export async function inTransaction<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query("begin");
    const result = await work(client);
    await client.query("commit");
    return result;
  } catch (error) {
    // A connection whose rollback failed is closed instead of being returned to the pool.
    await client.query("rollback").catch((reason: unknown) => {
      broken = reason instanceof Error ? reason : new Error(String(reason));
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
