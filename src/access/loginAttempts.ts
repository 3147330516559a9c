// Bounds how often passwords can be tried: five wrong ones a minute for an account, and for an address.
import { DroverError } from "../errors/errors.js";
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
  const counted = await count(source, keys, startOf(window));
  if (counted.some((used) => used > MOST_WRONG_PASSWORDS)) {
    await forgive(source, keys, startOf(window));
    throw tooManyAttempts(window.secondsToNext);
  }
  if (counted.includes(1)) await forgetEarlierWindows(source.pool, window);
  let isWrong = false;
  try {
    const user = await verify();
    isWrong = user === null;
    return user;
  } finally {
    if (!isWrong) await forgive(source, keys, startOf(window));
  }
}

/** Accounts are found by their name in lower case as the database has it: other rules would count some spellings apart. */
const COUNTED_AS = "lower(name)";

async function count({ pool }: WindowSource, keys: readonly string[], start: Date): Promise<number[]> {
  const { rows } = await pool.query<{ used: number }>(
    `insert into rate_window as w (key, window_start, used) select ${COUNTED_AS}, $2, 1 from unnest($1::text[]) name order by 1
     on conflict (key, window_start) do update set used = w.used + 1 returning used`,
    [keys, start],
  );
  return rows.map(({ used }) => used);
}

async function forgive({ pool }: WindowSource, keys: readonly string[], start: Date): Promise<void> {
  await pool.query(
    `update rate_window w set used = w.used - 1
     from (select key, window_start from rate_window where key in (select ${COUNTED_AS} from unnest($1::text[]) name) and window_start = $2 order by key for update) locked
     where w.key = locked.key and w.window_start = locked.window_start and w.used > 0`,
    [keys, start],
  );
}

const tooManyAttempts = (seconds: number): DroverError =>
  new DroverError("rateLimited", `Too many wrong passwords; try again in ${seconds} s`, { retryAfterSeconds: seconds });
