// Runs expensive work with bounded concurrency: what comes beyond it waits in a queue, and is refused when the queue is full.
import { tooManyAtOnce } from "../concurrency/fairLine.js";

interface ConcurrencyLimits {
  /** Most tasks that run at the same time. */
  readonly atOnce: number;
  /** Most tasks that wait; any beyond are refused. */
  readonly mostWaiting: number;
}

export class ConcurrencyLimit {
  readonly #limits: ConcurrencyLimits;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limits: ConcurrencyLimits) {
    this.#limits = limits;
  }

  /** Runs `work` as soon as there is a free place. @returns its result @throws what it throws; DroverError `unavailable` when too many wait */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.#limits.atOnce) this.#running++;
    else await this.#waitForPlace();
    try {
      return await work();
    } finally {
      this.#release();
    }
  }

  async #waitForPlace(): Promise<void> {
    if (this.#waiting.length >= this.#limits.mostWaiting) throw tooManyAtOnce();
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Hands the place to whoever has waited longest. */
  #release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running--;
    else next();
  }
}
