// Works on as many jobs at once as there are places, and goes on as long as any is due.
import { setTimeout as delay } from "node:timers/promises";

const LOOK_MS = 2_000;

export interface PlacesOptions<Job> {
  readonly count: number;
  /** Takes jobs that are due, at most so many. */
  readonly claim: (most: number) => Promise<readonly Job[]>;
  /** Never fails. */
  readonly work: (job: Job) => Promise<void>;
  readonly stopping: AbortSignal;
}

export class Places<Job> {
  readonly #options: PlacesOptions<Job>;
  readonly #working = new Set<Promise<void>>();
  /** What is waited for when every place is taken: the end of a job, or of the worker. */
  #change = Promise.withResolvers<void>();
  #news = false;
  #filling: Promise<void> | null = null;

  constructor(options: PlacesOptions<Job>) {
    this.#options = options;
    options.stopping.addEventListener("abort", () => this.#change.resolve());
  }

  /** Fills the places with jobs that are due; resolves when none is left, or the worker stops. @throws what claiming throws */
  fill(): Promise<void> {
    this.#news = true;
    return (this.#filling ??= this.#fill());
  }

  /** Looks again and again until the worker stops: after a crash, a wiped queue, or a wake-up that never came. */
  async fillUntilStopped(failed: (error: unknown) => void): Promise<void> {
    const { stopping } = this.#options;
    while (!stopping.aborted) {
      await this.fill().catch(failed);
      await delay(LOOK_MS, undefined, { signal: stopping }).catch(() => undefined);
    }
  }

  async #fill(): Promise<void> {
    const { count, claim, stopping } = this.#options;
    try {
      while (this.#news && !stopping.aborted) {
        this.#news = false;
        const free = count - this.#working.size;
        const jobs = free > 0 ? await claim(free) : [];
        for (const job of jobs) this.#begin(job);
        if (jobs.length < free) continue;
        this.#news = true;
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
    });
    this.#working.add(working);
  }

  /** Resolves when a place is free, or the worker stops. */
  async #freed(): Promise<void> {
    const { count, stopping } = this.#options;
    if (this.#working.size < count || stopping.aborted) return;
    this.#change = Promise.withResolvers();
    await this.#change.promise;
  }
}
