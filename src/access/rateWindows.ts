// Counts requests per clock minute for rate limits; all processes of one database share the counts.
import type { Pool } from "pg";
import type { Clock } from "../concurrency/clock.js";
import { rateWindow, remainingInWindow, type RateWindow } from "../core/access/rateWindow.js";
import * as rateWindows from "../store/rateWindow.js";

/** How a limit stands after a request, as the `X-RateLimit-*` headers tell it. */
export interface RateState {
  /** Requests a minute. */
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds, 1 to 60, until the next window. */
  readonly secondsToNext: number;
}

/** The headers that tell a token's rate limit; none when it has none. */
export function rateHeaders(rate: RateState | null): Record<string, string> {
  if (rate === null) return {};
  return {
    "X-RateLimit-Limit": String(rate.limit),
    "X-RateLimit-Remaining": String(rate.remaining),
    "X-RateLimit-Reset": String(rate.secondsToNext),
  };
}

/** The outcome of asking for room: a refused request is not counted. */
export interface RateDecision {
  readonly admitted: boolean;
  readonly state: RateState;
}

interface FullWindow {
  readonly minute: number;
  readonly limit: number;
}

const MOST_FULL_WINDOWS = 10_000;

/** The limit of requests a minute that a token has. */
export class RequestLimit {
  readonly #windows: WindowSource;
  /** Windows known to be full: whoever floods one costs the database nothing more. */
  readonly #full = new Map<string, FullWindow>();

  constructor(windows: WindowSource) {
    this.#windows = windows;
  }

  /** Counts one more under `key` unless `limit` (≥ 1 a minute) is reached: one statement, never more admitted than the limit. */
  async take(key: string, limit: number): Promise<RateDecision> {
    const window = currentWindow(this.#windows.clock);
    const used = this.#isKnownFull(key, limit, window) ? null : await this.#count(key, limit, window);
    if (used === null) this.#rememberFull(key, { minute: window.minute, limit });
    if (used === 1) await forgetEarlierWindows(this.#windows.pool, window);
    return { admitted: used !== null, state: stateOf(limit, used ?? limit, window) };
  }

  #count(key: string, limit: number, window: RateWindow): Promise<number | null> {
    return rateWindows.count(this.#windows.pool, { key, start: startOf(window), limit });
  }

  #isKnownFull(key: string, limit: number, window: RateWindow): boolean {
    const full = this.#full.get(key);
    return full !== undefined && full.minute === window.minute && full.limit === limit;
  }

  #rememberFull(key: string, full: FullWindow): void {
    if (this.#full.size >= MOST_FULL_WINDOWS) this.#full.clear();
    this.#full.set(key, full);
  }
}

/** What counting needs of the service. */
export interface WindowSource {
  readonly pool: Pool;
  readonly clock: Clock;
}

/** The clock minute that the service is in. */
export const currentWindow = (clock: Clock): RateWindow => rateWindow(clock.now().getTime());

/** The moment at which a window opened: its key in the table. */
export const startOf = ({ minute }: RateWindow): Date => new Date(minute * 60_000);

/** Removes what is over. The last window but one is kept: another process's clock may be a little behind. */
export async function forgetEarlierWindows(pool: Pool, { minute }: RateWindow): Promise<void> {
  await rateWindows.deleteBefore(pool, startOf({ minute: minute - 1, secondsToNext: 0 }));
}

function stateOf(limit: number, used: number, { secondsToNext }: RateWindow): RateState {
  return { limit, remaining: remainingInWindow({ limit, admitted: used }) ?? limit, secondsToNext };
}
