// Finds out how fast a migration may copy.
import type { Migration } from "./migration.js";

/** Asks the target for its limit too; the stricter one holds. KiB/s, null unlimited. */
export async function effectiveBandwidth(migration: Migration): Promise<number | null> {
  const own = migration.order.bandwidth || null;
  const reply = await migration.openTunnel().command("bwlimit", { operation: "migration", bwlimit: own });
  const remote = Number(reply.bwlimit ?? 0) || null;
  if (own === null || remote === null) return own ?? remote;
  return Math.min(own, remote);
}

/** Bytes a simulated second, as the simulator's speed and the limit allow at this moment. */
export function bytesPerSecond(migration: Migration, limit: number | null): number {
  const { bytesPerSecond: speed } = migration.platform.tasks;
  return limit === null ? speed : Math.min(speed, limit * 1024);
}
