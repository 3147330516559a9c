// Keeps, for each of many keys, an allowance that is spent at once or bit by bit, and that comes back with time.

/** What a key has at most, and what it gets again in a second. */
export interface AllowanceLimits {
  readonly mostAtOnce: number;
  readonly eachSecond: number;
  /** By how much it may be overspent: what is beyond is not charged. Default: not at all. */
  readonly mostDebt?: number;
}

/** What is left of one, less than zero where it was overspent. */
export interface Allowance {
  left: number;
  /** When that was, monotonic milliseconds. */
  at: number;
}

/** Beyond, keys whose allowance is whole are forgotten. */
const MANY_KEYS = 20_000;
/** Keys that are looked at with each spending then, in turn: it adds one at most, and its cost grows with no number of keys. */
const LOOKS = 4;

export class Allowances<Key> {
  readonly #limits: AllowanceLimits;
  readonly #known: Map<Key, Allowance>;
  #next: Iterator<[Key, Allowance]>;

  constructor(limits: AllowanceLimits, known: Map<Key, Allowance> = new Map()) {
    this.#limits = limits;
    this.#known = known;
    this.#next = known.entries();
  }

  leftOf(key: Key, now: number): number {
    const known = this.#known.get(key);
    return known === undefined ? this.#limits.mostAtOnce : this.#leftOf(known, now);
  }

  /** @returns what is left then */
  spend(key: Key, cost: number, now: number): number {
    const { mostDebt = 0 } = this.#limits;
    const left = Math.max(0 - mostDebt, this.leftOf(key, now) - cost);
    if (this.#known.size >= MANY_KEYS) this.#forgetSome(now);
    this.#known.set(key, { left, at: now });
    return left;
  }

  #leftOf({ left, at }: Allowance, now: number): number {
    return Math.min(this.#limits.mostAtOnce, left + ((now - at) / 1000) * this.#limits.eachSecond);
  }

  #forgetSome(now: number): void {
    for (let looks = 0; looks < LOOKS; looks++) {
      const { done, value } = this.#next.next();
      if (done === true) {
        this.#next = this.#known.entries();
        return;
      }
      const [key, allowance] = value;
      if (this.#leftOf(allowance, now) >= this.#limits.mostAtOnce) this.#known.delete(key);
    }
  }
}
