// Notices that the process has more to do than it gets done, so that its doors take in no more until it has caught up.
import type { Pressure } from "../access/room.js";
import type { Logger } from "../log.js";

const LOOK_EVERY_MS = 100;
/** Looks in a row. One pause, as of a large collection of garbage, is no overload. */
const LATE_LOOKS = 2;
/** A second of looks in a row that are in time. */
const PUNCTUAL_LOOKS = 10;
/** In time again is who is late by no more than this share of the limit: doors that open at once would close at once. */
const PUNCTUAL_SHARE = 0.5;

/** Decides by how late looks come, one after the other, whether requests are refused. */
export class LatenessRule implements Pressure {
  readonly #limitMs: number;
  #isTooHigh = false;
  /** Looks in a row that speak for the other state. */
  #contrary = 0;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  get isTooHigh(): boolean {
    return this.#isTooHigh;
  }

  /** Takes how late a look came, in milliseconds. @returns whether that changed the state */
  look(lateMs: number): boolean {
    const isContrary = this.#isTooHigh ? lateMs <= this.#limitMs * PUNCTUAL_SHARE : lateMs > this.#limitMs;
    this.#contrary = isContrary ? this.#contrary + 1 : 0;
    if (this.#contrary < (this.#isTooHigh ? PUNCTUAL_LOOKS : LATE_LOOKS)) return false;
    this.#contrary = 0;
    this.#isTooHigh = !this.#isTooHigh;
    return true;
  }
}

/** A pressure that is watched until it is closed. */
export interface WatchedPressure extends Pressure {
  close(): void;
}

/**
 * Watches how late a timer of this process comes: by as much every callback is late. `perf_hooks` has a histogram of the same, but
 * a rule about looks in a row needs the looks, and a mean of them hides that one turn of the loop takes seconds.
 * @param limitMs late is who comes later than this
 */
export function watchLateness(limitMs: number, log: Logger): WatchedPressure {
  const rule = new LatenessRule(limitMs);
  let due = performance.now() + LOOK_EVERY_MS;
  const look = (): void => {
    const lateMs = performance.now() - due;
    if (rule.look(lateMs)) say(rule.isTooHigh, Math.round(lateMs));
    due = performance.now() + LOOK_EVERY_MS;
    timer.refresh();
  };
  const say = (isLate: boolean, lateMs: number): void => {
    if (isLate) log.warn({ lateMs, limitMs }, "the process is late with its work: new requests are refused");
    else log.info({ lateMs }, "the process has caught up: requests are taken again");
  };
  const timer = setTimeout(look, LOOK_EVERY_MS).unref();
  return {
    get isTooHigh() {
      return rule.isTooHigh;
    },
    close: () => clearTimeout(timer),
  };
}
