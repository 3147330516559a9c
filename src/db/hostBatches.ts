// Handles requests that concern the same host and arrive together as one batch, whoever makes them in this process.
import type { Pool } from "pg";
import { MicroBatches, type BatchLimits } from "../concurrency/microBatches.js";

/** Does the work for all items of a batch. @returns a function that gives the result of each item */
type Handle<Item, Result> = (pool: Pool, hostId: number, items: readonly Item[]) => Promise<(item: Item) => Result>;

/** Batches of each host, and of each pool. A host takes a few hundred bytes once it has had a batch. */
export class HostBatches<Item, Result> {
  readonly #ofDatabases = new WeakMap<Pool, Map<number, MicroBatches<Item, Result>>>();

  constructor(
    private readonly handle: Handle<Item, Result>,
    private readonly limits: BatchLimits,
  ) {}

  /** @returns the result of the item when its batch is done. @throws as `MicroBatches.add` */
  add(pool: Pool, hostId: number, item: Item): Promise<Result> {
    const ofHosts = this.#ofDatabases.get(pool) ?? new Map<number, MicroBatches<Item, Result>>();
    this.#ofDatabases.set(pool, ofHosts);
    const ofHost = ofHosts.get(hostId) ?? new MicroBatches((items) => this.handle(pool, hostId, items), this.limits);
    ofHosts.set(hostId, ofHost);
    return ofHost.add(item);
  }
}
