// Bounds how often passwords can be tried: five wrong ones a minute for an account, and for an address. Where a person has signed in
// lately, only the tries for their own account from there count: no stranger keeps them out.
import { networkOf } from "./admission/caller.js";
import { FairLine } from "../concurrency/fairLine.js";
import { DroverError } from "../errors/errors.js";
import * as rateWindows from "../store/rateWindow.js";
import * as signIns from "../store/signIn.js";
import { currentWindow, forgetEarlierWindows, startOf, type WindowSource } from "./rateWindows.js";

/** Wrong passwords a clock minute, for an account and for an address. */
const MOST_WRONG_PASSWORDS = 5;

/**
 * One attempt at a time of an address, and of an account: correct passwords that are sent at the same moment from one office must not
 * be counted as wrong ones. Addresses are served in turn, so that no number of attempts from one closes sign-in for others.
 */
const ofAddress = new FairLine({ most: 500, mostOfCaller: 50, atOnce: 4, divided: 1, leastShare: 1 });
const ofAccount = new FairLine({ most: 500, mostOfCaller: 500, atOnce: 500, divided: 1, leastShare: 1 });

/** Addresses without an attempt left, by service: they wait in no line, and cost the database one look. */
const refusedAddresses = new WeakMap<WindowSource["pool"], RefusedAddresses>();

/** Who tries, and from where. */
interface LoginAttempt {
  readonly username: string;
  readonly sourceIp: string;
}

/**
 * Runs `verify` if the account and the address have attempts left. The attempt is counted first, so that many at once gain
 * nothing, even in several processes. It is uncounted if the password was right or could not be checked.
 * @param isRefused whether what was found counts as a wrong try; of itself, null does
 * @throws DroverError `rateLimited` without an attempt; `unavailable` when too many wait; and what `verify` throws
 */
export async function attemptLogin<Found>(
  source: WindowSource,
  { username, sourceIp }: LoginAttempt,
  verify: () => Promise<Found>,
  isRefused: (found: Found) => boolean = (found) => found === null,
): Promise<Found> {
  const network = networkOf(sourceIp);
  const isKnown = await signIns.isKnown(source.pool, { username, network, now: source.clock.now() });
  const once = () => attemptOnce(source, { username, network, isKnown }, { verify, isRefused });
  if (isKnown) return inLine(ofAddress, `${network} ${username.toLowerCase()}`, once);
  refuseKnown(source, network);
  return inLine(ofAddress, network, () => {
    refuseKnown(source, network);
    return inLine(ofAccount, username.toLowerCase(), once);
  });
}

async function inLine<Result>(line: FairLine, key: string, work: () => Promise<Result>): Promise<Result> {
  const end = await line.take(key);
  try {
    return await work();
  } finally {
    end();
  }
}

/** An attempt of an account, from an address or the /64 of that. */
interface CountedAttempt {
  readonly username: string;
  readonly network: string;
  /** Whether the account has signed in from there lately: then it counts for the two together. */
  readonly isKnown: boolean;
}

/** Account and address, in the order of their counts. */
const commonKeys = ({ username, network }: CountedAttempt): readonly string[] => [
  `login account ${username}`,
  `login address ${network}`,
];
const keysOf = (attempt: CountedAttempt): readonly string[] =>
  attempt.isKnown ? [`login known ${attempt.username} ${attempt.network}`] : commonKeys(attempt);

interface Trial<Found> {
  readonly verify: () => Promise<Found>;
  readonly isRefused: (found: Found) => boolean;
}

async function attemptOnce<Found>(
  source: WindowSource,
  attempt: CountedAttempt,
  { verify, isRefused }: Trial<Found>,
): Promise<Found> {
  const keys = keysOf(attempt);
  const window = currentWindow(source.clock);
  const counts = await rateWindows.countNames(source.pool, keys, startOf(window));
  if (isOver(counts)) {
    await rateWindows.uncountNames(source.pool, keys, startOf(window));
    if (!attempt.isKnown && isOver(counts.slice(1))) remember(source, attempt.network, window.minute);
    throw tooManyAttempts(window.secondsToNext);
  }
  if (counts.includes(1)) await forgetEarlierWindows(source.pool, window);
  let isWrong = false;
  try {
    const found = await verify();
    isWrong = isRefused(found);
    if (isWrong && attempt.isKnown) await countForAll(source, attempt);
    return found;
  } finally {
    if (!isWrong) await rateWindows.uncountNames(source.pool, keys, startOf(window));
  }
}

/**
 * Counts a wrong password of a known place for its account and its address as well. Only then: while right ones are checked there,
 * those of others lack no attempt.
 * @throws DroverError `rateLimited` where no other name would have been let try: the same answer does not say which are known
 */
async function countForAll(source: WindowSource, attempt: CountedAttempt): Promise<void> {
  const window = currentWindow(source.clock);
  const counts = await rateWindows.countNames(source.pool, commonKeys(attempt), startOf(window));
  if (isOver(counts)) throw tooManyAttempts(window.secondsToNext);
}

const isOver = (counts: readonly number[]): boolean => counts.some((used) => used > MOST_WRONG_PASSWORDS);

/** The addresses without an attempt left in one minute. */
interface RefusedAddresses {
  readonly minute: number;
  readonly addresses: Set<string>;
}

const MOST_REMEMBERED = 10_000;

function remember({ pool }: WindowSource, address: string, minute: number): void {
  const known = refusedAddresses.get(pool);
  const addresses = known?.minute === minute ? known.addresses : new Set<string>();
  if (addresses.size < MOST_REMEMBERED) addresses.add(address);
  refusedAddresses.set(pool, { minute, addresses });
}

/** @throws DroverError `rateLimited` for an address that is known to have no attempt left */
function refuseKnown({ pool, clock }: WindowSource, address: string): void {
  const { minute, secondsToNext } = currentWindow(clock);
  const known = refusedAddresses.get(pool);
  if (known?.minute === minute && known.addresses.has(address)) throw tooManyAttempts(secondsToNext);
}

const tooManyAttempts = (seconds: number): DroverError =>
  new DroverError("rateLimited", `Too many wrong passwords; try again in ${seconds} s`, { retryAfterSeconds: seconds });
