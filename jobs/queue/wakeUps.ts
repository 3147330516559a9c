// Stores wake-ups in the background: a request never waits for the queue's storage, however long it is away.
import { wakeUpsLost } from "../../src/observability/metrics.js";

/** More are dropped: the storage is away, and workers find the jobs by looking. */
const MOST_WAITING = 1_000;

/** Jobs of one queue that come while an entry is being stored share the next entry: there are never more than there are queues. */
export class WakeUps<Name extends string, Due> {
  readonly #store: (queue: Name, jobs: readonly Due[]) => Promise<void>;
  readonly #lost: (error: unknown) => void;
  #wanted = new Map<Name, Due[]>();
  #storing: Promise<void> | null = null;

  /** @param lost called with the reason when an entry could not be stored; workers then find its jobs by looking */
  constructor(store: (queue: Name, jobs: readonly Due[]) => Promise<void>, lost: (error: unknown) => void) {
    this.#store = store;
    this.#lost = lost;
  }

  add(queue: Name, job: Due): void {
    const jobs = this.#wanted.get(queue);
    if (jobs === undefined) this.#wanted.set(queue, [job]);
    else if (jobs.length < MOST_WAITING) jobs.push(job);
    this.#storing ??= this.#storeAll();
  }

  /** Resolves when nothing is being stored. */
  async stored(): Promise<void> {
    await this.#storing;
  }

  async #storeAll(): Promise<void> {
    while (this.#wanted.size > 0) {
      const entries = [...this.#wanted];
      this.#wanted = new Map();
      const results = await Promise.allSettled(entries.map(([queue, jobs]) => this.#store(queue, jobs)));
      for (const result of results) {
        if (result.status === "fulfilled") continue;
        wakeUpsLost.inc();
        this.#lost(result.reason);
      }
    }
    this.#storing = null;
  }
}
