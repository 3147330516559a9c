// Decides how long a caller waits for its refusal: who is refused again and again asks no faster than it is answered.
import { Allowances } from "../../concurrency/allowances.js";
import { refusalsPaced } from "../../observability/metrics.js";
import type { Caller } from "./caller.js";

/** With a few hundred connections that are refused in a closed loop, a tenth of a processor is spent on them. */
const LONGEST_SECONDS = 1;
/** Refusals without a pause: so many at once, and so many again in a second. */
const OF_CALLER = { mostAtOnce: 100, eachSecond: 50, mostDebt: 50 * LONGEST_SECONDS } as const;
const OF_UNKNOWN = { mostAtOnce: 400, eachSecond: 200, mostDebt: 200 * LONGEST_SECONDS } as const;

export class RefusalPace {
  readonly #byCaller = new Allowances<string>(OF_CALLER);
  /** Of all callers that are not known, and that do not wait for their own refusals: many addresses may be one attacker's. */
  readonly #unknown = new Allowances<null>(OF_UNKNOWN);

  /**
   * Counts one more refusal.
   * @param now monotonic milliseconds
   * @returns milliseconds for which its answer waits: 0 for who is refused seldom, 1,000 at most
   */
  pauseMs({ key, isKnown }: Caller, now: number): number {
    const ofCaller = this.#byCaller.spend(key, 1, now) / OF_CALLER.eachSecond;
    const ofUnknown = isKnown || ofCaller < 0 ? 0 : this.#unknown.spend(null, 1, now) / OF_UNKNOWN.eachSecond;
    const seconds = Math.max(0, -ofCaller, -ofUnknown);
    if (seconds > 0) refusalsPaced.inc();
    return seconds * 1000;
  }
}
