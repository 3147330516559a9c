// Batches concurrent requests for the same host across all callers of this process.
import type { Pool } from "pg";
import { MicroBatches, type BatchLimits } from "./microBatches.js";

/** Handles all items of a batch. @returns a function from an item to its result */
type Handle<Item, Result> = (pool: Pool, hostId: number, items: readonly Item[]) => Promise<(item: Item) => Result>;

/** One batcher per pool and host; each keeps a few hundred bytes. */
export class HostBatches<Item, Result> {
  readonly #ofDatabases = new WeakMap<Pool, Map<number, MicroBatches<Item, Result>>>();

  constructor(
    private readonly handle: Handle<Item, Result>,
    private readonly limits: BatchLimits,
  ) {}

  /** @returns the item's result, once its batch is done. @throws as `MicroBatches.add` */
  add(pool: Pool, hostId: number, item: Item): Promise<Result> {
    const ofHosts = this.#ofDatabases.get(pool) ?? new Map<number, MicroBatches<Item, Result>>();
    this.#ofDatabases.set(pool, ofHosts);
    const ofHost = ofHosts.get(hostId) ?? new MicroBatches((items) => this.handle(pool, hostId, items), this.limits);
    ofHosts.set(hostId, ofHost);
    return ofHost.add(item);
  }
}
