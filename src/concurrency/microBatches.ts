// Handles items that arrive together as one batch: while one batch runs the next one gathers, so that no item waits for a timer. Loaders
// of the libraries gather for a fixed time, or for a tick, and run any number of batches at once.
import { DroverError } from "../errors/errors.js";

export interface BatchLimits {
  /** Most batches that run at the same time. */
  readonly atOnce: number;
  /** Most items in one batch. */
  readonly largest: number;
  /** Most items that wait for a batch; further ones are refused. */
  readonly mostWaiting: number;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export class MicroBatches<Item, Result> {
  readonly #handle: (items: readonly Item[]) => Promise<(item: Item) => Result>;
  readonly #limits: BatchLimits;
  #waiting: Waiting<Item, Result>[] = [];
  #running = 0;
  #scheduled = false;

  /** @param handle does the work for all items of a batch; the function that it returns gives the result of each item */
  constructor(handle: (items: readonly Item[]) => Promise<(item: Item) => Result>, limits: BatchLimits) {
    this.#handle = handle;
    this.#limits = limits;
  }

  /**
   * @returns the result of the item when its batch is done
   * @throws what the batch failed with; DroverError `unavailable` when too many items wait
   */
  add(item: Item): Promise<Result> {
    if (this.#waiting.length >= this.#limits.mostWaiting) {
      return Promise.reject(new DroverError("unavailable", "The service is busy: too many wait", { reason: "BUSY" }));
    }
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.push({ item, resolve, reject });
    this.#schedule();
    return promise;
  }

  #schedule(): void {
    if (this.#scheduled || this.#running >= this.#limits.atOnce || this.#waiting.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      void this.#run(this.#waiting.splice(0, this.#limits.largest));
      this.#schedule();
    });
  }

  async #run(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    this.#running++;
    try {
      const resultOf = await this.#handle(batch.map(({ item }) => item));
      for (const { item, resolve } of batch) resolve(resultOf(item));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.#running--;
      this.#schedule();
    }
  }
}
