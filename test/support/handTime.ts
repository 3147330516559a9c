// Stopwatches that a test moves: what they time depends on no machine.
import assert from "node:assert/strict";
import { systemStopwatch, type Stopwatch } from "../../src/concurrency/stopwatch.js";
import { eventually } from "./eventually.js";

interface Timer {
  readonly milliseconds: number;
  readonly at: number;
  readonly work: () => void;
}

/** Stands until the test moves it. */
export class HandTime implements Stopwatch {
  readonly #timers = new Set<Timer>();
  #now = 0;
  #read = Promise.withResolvers<void>();

  milliseconds(): number {
    this.#read.resolve();
    return this.#now;
  }

  after(milliseconds: number, work: () => void): () => void {
    const timer = { milliseconds, at: this.#now + milliseconds, work };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Lets time go by, and does what has become due in it. */
  move(milliseconds: number): void {
    this.#now += milliseconds;
    const due = [...this.#timers].filter(({ at }) => at <= this.#now);
    for (const timer of due.toSorted((left, right) => left.at - right.at)) {
      this.#timers.delete(timer);
      timer.work();
    }
  }

  /** Returns when so many things wait that are to be done after this time. */
  waitsFor(milliseconds: number, count = 1): Promise<void> {
    const waiting = () => [...this.#timers].filter((timer) => timer.milliseconds === milliseconds).length;
    return eventually(() => Promise.resolve(assert.equal(waiting(), count, `waits of ${milliseconds} ms`)));
  }

  /** Returns when somebody has asked for the time after this call. */
  isRead(): Promise<void> {
    this.#read = Promise.withResolvers<void>();
    return this.#read.promise;
  }
}

/** Leaps over every pause: it is over at once, and its time has gone by. Limits that are longer are never reached. */
export class LeapingTime implements Stopwatch {
  /** All that were leapt over, in order. */
  readonly pauses: number[] = [];
  readonly #longestPauseMs: number;
  #now = 0;

  constructor(longestPauseMs: number) {
    this.#longestPauseMs = longestPauseMs;
  }

  milliseconds(): number {
    return this.#now;
  }

  after(milliseconds: number, work: () => void): () => void {
    if (milliseconds > this.#longestPauseMs) return () => undefined;
    this.pauses.push(milliseconds);
    const leap = setImmediate(() => {
      this.#now += milliseconds;
      work();
    });
    return () => clearImmediate(leap);
  }
}

/** The machine's time; while it leaps, pauses of some length are over at once, and their time has gone by. */
export class LeapableTime implements Stopwatch {
  leaps = false;
  readonly #pauses: { readonly leastMs: number; readonly mostMs: number };
  #leaptMs = 0;

  /** @param pauses shorter ones, and limits, which are longer, last as long as they do */
  constructor(pauses: { readonly leastMs: number; readonly mostMs: number }) {
    this.#pauses = pauses;
  }

  milliseconds(): number {
    return systemStopwatch.milliseconds() + this.#leaptMs;
  }

  after(milliseconds: number, work: () => void): () => void {
    const { leastMs, mostMs } = this.#pauses;
    if (!this.leaps || milliseconds < leastMs || milliseconds > mostMs)
      return systemStopwatch.after(milliseconds, work);
    const leap = setImmediate(() => {
      this.#leaptMs += milliseconds;
      work();
    });
    return () => clearImmediate(leap);
  }
}

/** The machine's time, in which no pause up to this length is made, and no time goes by for it. Limits, which are longer, hold. */
export const withoutPauses = (mostMs: number): Stopwatch => ({
  milliseconds: () => systemStopwatch.milliseconds(),
  after: (milliseconds, work) => systemStopwatch.after(milliseconds > mostMs ? milliseconds : 0, work),
});
