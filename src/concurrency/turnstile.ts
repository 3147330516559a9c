// Starts only a few tasks at once, but does not let tasks that wait for long keep others from starting.

/** How much may be under way that has begun only just now. */
export interface Pace {
  readonly most: number;
  /** Work that takes longer waits for somebody else, and counts no longer. */
  readonly briskMs: number;
}

/** Work is begun in the order in which it comes. */
export class Turnstile {
  readonly #pace: Pace;
  readonly #waiting: (() => void)[] = [];
  #brisk = 0;

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  /** Waits until it is the turn of `work`. @returns what it returns; it may throw */
  async pass<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#brisk < this.#pace.most) this.#brisk++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    const counted = this.#counted();
    try {
      return await work();
    } finally {
      counted.end();
    }
  }

  #counted(): { end(): void } {
    let counts = true;
    const end = (): void => {
      if (counts) this.#makePlace();
      counts = false;
      clearTimeout(timer);
    };
    const timer = setTimeout(end, this.#pace.briskMs);
    return { end };
  }

  /** The place goes to who waits longest. */
  #makePlace(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#brisk--;
    else next();
  }
}
