// Bounds how often passwords can be tried: five wrong ones a minute for an account, and for an address.
import { DroverError } from "../errors/errors.js";
import * as rateWindows from "../store/rateWindow.js";
import { currentWindow, forgetEarlierWindows, startOf, type WindowSource } from "./rateWindows.js";
import { ConcurrencyLimit } from "./concurrencyLimit.js";

/** Wrong passwords a clock minute, for an account and for an address. */
const MOST_WRONG_PASSWORDS = 5;

/** One attempt at a time: correct passwords that are sent at the same moment from one office must not be counted as wrong ones. */
const limit = new ConcurrencyLimit({ atOnce: 1, mostWaiting: 200 });

/** Who tries, and from where. */
interface LoginAttempt {
  readonly username: string;
  readonly sourceIp: string;
}

/**
 * Runs `verify` if the account and the address have attempts left. The attempt is counted first, so that many at once gain
 * nothing, even in several processes. It is uncounted if the password was right or could not be checked.
 * @throws DroverError `rateLimited` without an attempt; `unavailable` when too many wait; and what `verify` throws
 */
export function attemptLogin<User>(
  source: WindowSource,
  attempt: LoginAttempt,
  verify: () => Promise<User | null>,
): Promise<User | null> {
  return limit.run(() => attemptOnce(source, attempt, verify));
}

async function attemptOnce<User>(
  source: WindowSource,
  attempt: LoginAttempt,
  verify: () => Promise<User | null>,
): Promise<User | null> {
  const keys = [`login account ${attempt.username}`, `login address ${attempt.sourceIp}`];
  const window = currentWindow(source.clock);
  const counted = await rateWindows.countNames(source.pool, keys, startOf(window));
  if (counted.some((used) => used > MOST_WRONG_PASSWORDS)) {
    await rateWindows.uncountNames(source.pool, keys, startOf(window));
    throw tooManyAttempts(window.secondsToNext);
  }
  if (counted.includes(1)) await forgetEarlierWindows(source.pool, window);
  let isWrong = false;
  try {
    const user = await verify();
    isWrong = user === null;
    return user;
  } finally {
    if (!isWrong) await rateWindows.uncountNames(source.pool, keys, startOf(window));
  }
}

const tooManyAttempts = (seconds: number): DroverError =>
  new DroverError("rateLimited", `Too many wrong passwords; try again in ${seconds} s`, { retryAfterSeconds: seconds });
