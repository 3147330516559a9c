// A sync during which something happens: all is read, nothing is written.
import type { Services } from "../../../src/context/context.js";
import { syncHost, type SyncOptions } from "../../../src/inventory/syncHost.js";
import { withMethods } from "../../jobs/killing.js";

/** Syncs a host; `meanwhile` happens between the last question and the transaction that writes. */
export async function syncMeanwhile(
  services: Services,
  hostId: number,
  meanwhile: () => Promise<unknown>,
  options?: SyncOptions,
): Promise<void> {
  const { pool } = services;
  const connect = async (): Promise<unknown> => {
    await meanwhile();
    return pool.connect();
  };
  await syncHost({ ...services, pool: withMethods(pool, { query: pool.query.bind(pool), connect }) }, hostId, options);
}
