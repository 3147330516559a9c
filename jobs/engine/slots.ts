// Works on a bounded number of jobs at once, and claims further ones as long as any is due.
import { pause } from "../../src/concurrency/pause.js";

const LOOK_MS = 2_000;

interface SlotsOptions<Job> {
  /** Most jobs at once. */
  readonly count: number;
  /** Claims at most `most` jobs that are due. */
  readonly claim: (most: number) => Promise<readonly Job[]>;
  /** Never fails. */
  readonly work: (job: Job) => Promise<void>;
  readonly stopping: AbortSignal;
}

export class JobSlots<Job> {
  readonly #options: SlotsOptions<Job>;
  readonly #working = new Set<Promise<void>>();
  /** Resolved by the next end of a job, or of the worker. */
  #change = Promise.withResolvers<void>();
  /** Further jobs may have become due since the last claim. */
  #mayBeDue = false;
  #filling: Promise<void> | null = null;

  constructor(options: SlotsOptions<Job>) {
    this.#options = options;
    options.stopping.addEventListener("abort", () => this.#change.resolve());
  }

  get isIdle(): boolean {
    return this.#working.size === 0;
  }

  /** Resolves when the next job ends, or the worker stops. */
  async nextEnd(): Promise<void> {
    if (!this.#options.stopping.aborted) await this.#change.promise;
  }

  /** Fills the slots with jobs that are due; resolves when none is left, or the worker stops. @throws what claiming throws */
  fill(): Promise<void> {
    this.#mayBeDue = true;
    return (this.#filling ??= this.#fill());
  }

  /** Fills the slots at intervals until the signal aborts: for jobs whose queue entry was lost, by a crash or with the queue's data. */
  async fillUntil(stopping: AbortSignal, failed: (error: unknown) => void): Promise<void> {
    while (!stopping.aborted) {
      await this.fill().catch(failed);
      await pause(LOOK_MS, stopping);
    }
  }

  async #fill(): Promise<void> {
    const { count, claim, stopping } = this.#options;
    try {
      while (this.#mayBeDue && !stopping.aborted) {
        this.#mayBeDue = false;
        const free = count - this.#working.size;
        const jobs = free > 0 ? await claim(free) : [];
        for (const job of jobs) this.#begin(job);
        if (jobs.length < free) continue;
        this.#mayBeDue = true;
        await this.#freed();
      }
    } finally {
      this.#filling = null;
    }
  }

  #begin(job: Job): void {
    const working = this.#options.work(job).finally(() => {
      this.#working.delete(working);
      this.#change.resolve();
      this.#change = Promise.withResolvers();
    });
    this.#working.add(working);
  }

  /** Resolves when a slot is free, or the worker stops. */
  async #freed(): Promise<void> {
    if (this.#working.size >= this.#options.count) await this.nextEnd();
  }
}
