// Stores wake-ups behind the back of whoever asked for them: a request never waits for the queue's storage, however long it is away.
import { wakeUpsLost } from "../../src/observability/metrics.js";

/** Wake-ups of one queue that come while another is being stored are stored as one: there are never more than there are queues. */
export class WakeUps<Name extends string> {
  readonly #store: (queue: Name) => Promise<void>;
  readonly #lost: (error: unknown) => void;
  readonly #wanted = new Set<Name>();
  #storing: Promise<void> | null = null;

  /** @param lost called with the reason when wake-ups could not be stored; workers then find their jobs by looking */
  constructor(store: (queue: Name) => Promise<void>, lost: (error: unknown) => void) {
    this.#store = store;
    this.#lost = lost;
  }

  add(queue: Name): void {
    this.#wanted.add(queue);
    this.#storing ??= this.#storeAll();
  }

  /** Resolves when nothing is being stored. */
  async stored(): Promise<void> {
    await this.#storing;
  }

  async #storeAll(): Promise<void> {
    while (this.#wanted.size > 0) {
      const queues = [...this.#wanted];
      this.#wanted.clear();
      const results = await Promise.allSettled(queues.map((queue) => this.#store(queue)));
      for (const result of results) {
        if (result.status === "fulfilled") continue;
        wakeUpsLost.inc();
        this.#lost(result.reason);
      }
    }
    this.#storing = null;
  }
}
