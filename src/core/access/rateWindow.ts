// Counts a token's requests in windows of one clock minute and says when the next window opens.

const WINDOW_MILLISECONDS = 60_000;

/** One clock minute: its number since 1970 (the key to count under) and the whole seconds, 1 to 60, until the next. */
export interface RateWindow {
  readonly minute: number;
  readonly secondsToNext: number;
}

/** What is known when a request arrives: the token's limit (null or 0: none) and what the window has admitted so far. */
interface RateUse {
  readonly limit: number | null;
  readonly admitted: number;
}

/** @returns the window that a moment (milliseconds since 1970, UTC) falls in. Rounded up: waiting that long is enough. */
export function rateWindow(milliseconds: number): RateWindow {
  const intoWindow = milliseconds % WINDOW_MILLISECONDS;
  return {
    minute: Math.floor(milliseconds / WINDOW_MILLISECONDS),
    secondsToNext: Math.ceil((WINDOW_MILLISECONDS - intoWindow) / 1000),
  };
}

/** @returns whether requests under this limit are counted at all: blank and 0 mean no limit. */
export const isRateLimited = (limit: number | null): limit is number => limit !== null && limit > 0;

/** @returns how many more requests may pass in the window, never below 0; null without a limit. */
export const remainingInWindow = ({ limit, admitted }: RateUse): number | null =>
  isRateLimited(limit) ? Math.max(0, limit - admitted) : null;
