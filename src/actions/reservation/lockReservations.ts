// Serialises the reservations of one host, so that each sees what the ones before have reserved.
import type { PoolClient } from "pg";

/** Waits for the host's lock, and holds it until the transaction ends. Processes share it. */
export async function lockReservations(client: PoolClient, hostId: number): Promise<void> {
  await client.query(`select pg_advisory_xact_lock(hashtext('reservations'), $1)`, [hostId]);
}
