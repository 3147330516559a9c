// Batches concurrent requests for the same host across all callers of this process.
import { MicroBatches, type BatchLimits } from "./microBatches.js";

/** Handles all items of a batch. @returns a function from an item to its result */
type Handle<Database, Item, Result> = (
  database: Database,
  hostId: number,
  items: readonly Item[],
) => Promise<(item: Item) => Result>;

/** One batcher per database and host; each keeps a few hundred bytes. */
export class HostBatches<Database extends object, Item, Result> {
  readonly #ofDatabases = new WeakMap<Database, Map<number, MicroBatches<Item, Result>>>();

  constructor(
    private readonly handle: Handle<Database, Item, Result>,
    private readonly limits: BatchLimits,
  ) {}

  /** @returns the item's result, once its batch is done. @throws as `MicroBatches.add` */
  add(database: Database, hostId: number, item: Item): Promise<Result> {
    const ofHosts = this.#ofDatabases.get(database) ?? new Map<number, MicroBatches<Item, Result>>();
    this.#ofDatabases.set(database, ofHosts);
    const ofHost =
      ofHosts.get(hostId) ?? new MicroBatches((items) => this.handle(database, hostId, items), this.limits);
    ofHosts.set(hostId, ofHost);
    return ofHost.add(item);
  }
}
