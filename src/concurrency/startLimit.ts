// Starts only a few tasks at once, but does not let tasks that take long keep others from starting: p-limit counts them to their end.
import pLimit from "p-limit";
import { waitAtMost } from "./waitAtMost.js";

/** How much may be under way that has begun only just now. */
export interface Pace {
  readonly most: number;
  /** Work that takes longer counts no longer. */
  readonly briskMs: number;
}

/** Work is begun in the order in which it comes. */
export class StartLimit {
  readonly #limit;

  constructor(private readonly pace: Pace) {
    this.#limit = pLimit(pace.most);
  }

  /** Waits until it is the turn of `work`. @returns what it returns; it may throw */
  pass<Result>(work: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const run = async (): Promise<void> => work().then(resolve, reject);
      this.#limit(() => waitAtMost(this.pace.briskMs, run())).catch(reject);
    });
  }
}
