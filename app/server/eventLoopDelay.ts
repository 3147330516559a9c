// Measures how late the event loop is, so that requests are refused while the process is overloaded.
import type { Pressure } from "../../src/access/admission/load.js";
import type { Logger } from "../../src/observability/log.js";

const SAMPLE_EVERY_MS = 100;
/** Late samples in a row that mean overload. A single one may be a long garbage collection. */
const LATE_SAMPLES = 2;
/** Punctual samples in a row, a second of them, that end the overload. */
const PUNCTUAL_SAMPLES = 10;
/** A sample is punctual up to this share of the limit: with the limit itself, requests would be admitted and refused by turns. */
const PUNCTUAL_SHARE = 0.5;

/** Decides from samples of the delay, one after the other, whether the process is overloaded. */
export class EventLoopDelayRule implements Pressure {
  readonly #limitMs: number;
  #isTooHigh = false;
  /** Samples in a row that speak for the other state. */
  #contrary = 0;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  get isTooHigh(): boolean {
    return this.#isTooHigh;
  }

  /** Takes one sample of the delay, in milliseconds. @returns whether it changed the state */
  add(delayMs: number): boolean {
    const isContrary = this.#isTooHigh ? delayMs <= this.#limitMs * PUNCTUAL_SHARE : delayMs > this.#limitMs;
    this.#contrary = isContrary ? this.#contrary + 1 : 0;
    if (this.#contrary < (this.#isTooHigh ? PUNCTUAL_SAMPLES : LATE_SAMPLES)) return false;
    this.#contrary = 0;
    this.#isTooHigh = !this.#isTooHigh;
    return true;
  }
}

/** A pressure that is measured until it is closed. */
interface MeasuredPressure extends Pressure {
  close(): void;
}

/**
 * Samples by how much a timer of this process is late: every other callback is late by as much. `perf_hooks` has a histogram of
 * the same delay, but the rule needs consecutive samples, and an average would hide a single turn that takes seconds.
 * @param limitMs delay, in milliseconds, above which a sample is late
 */
export function watchEventLoopDelay(limitMs: number, log: Logger): MeasuredPressure {
  const rule = new EventLoopDelayRule(limitMs);
  let due = performance.now() + SAMPLE_EVERY_MS;
  const sample = (): void => {
    const lateMs = performance.now() - due;
    if (rule.add(lateMs)) report(Math.round(lateMs));
    due = performance.now() + SAMPLE_EVERY_MS;
    timer.refresh();
  };
  const report = (lateMs: number): void => {
    if (rule.isTooHigh) log.warn({ lateMs, limitMs }, "the process is late with its work: new requests are refused");
    else log.info({ lateMs }, "the process has caught up: requests are taken again");
  };
  const timer = setTimeout(sample, SAMPLE_EVERY_MS).unref();
  return {
    get isTooHigh() {
      return rule.isTooHigh;
    },
    close: () => clearTimeout(timer),
  };
}
