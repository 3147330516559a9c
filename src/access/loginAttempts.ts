// Bounds how often passwords can be tried: five wrong ones a minute for an account, and for an address. Where a person has signed in
// lately, only the tries for their own account from there count: no stranger keeps them out.
import { networkOf } from "./admission/caller.js";
import { FairLine } from "../concurrency/fairLine.js";
import { DroverError } from "../errors/errors.js";
import * as rateWindows from "../store/rateWindow.js";
import { isKnownAddress } from "./knownAddresses.js";
import { currentWindow, forgetEarlierWindows, startOf, type WindowSource } from "./rateWindows.js";

/** Wrong passwords a clock minute, for an account and for an address. */
const MOST_WRONG_PASSWORDS = 5;

/**
 * One attempt at a time of an address, and of an account: correct passwords that are sent at the same moment from one office must not
 * be counted as wrong ones. Addresses are served in turn, so that no number of attempts from one closes sign-in for others.
 */
const ofAddress = new FairLine({ most: 500, mostOfCaller: 50, atOnce: 4, divided: 1, leastShare: 1 });
const ofAccount = new FairLine({ most: 500, mostOfCaller: 500, atOnce: 500, divided: 1, leastShare: 1 });

/** Addresses without an attempt left, by service: they wait in no line and cost the database nothing. */
const refusedAddresses = new WeakMap<WindowSource["pool"], RefusedAddresses>();

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
export async function attemptLogin<User>(
  source: WindowSource,
  { username, sourceIp }: LoginAttempt,
  verify: () => Promise<User | null>,
): Promise<User | null> {
  const address = networkOf(sourceIp);
  if (await isKnownAddress(source, { username, network: address })) {
    const place = `login known ${username} ${address}`;
    return inLine(ofAddress, place.toLowerCase(), () => attemptOnce(source, { keys: [place], address: null }, verify));
  }
  refuseKnown(source, address);
  const keys = [`login account ${username}`, `login address ${address}`];
  return inLine(ofAddress, address, () => {
    refuseKnown(source, address);
    return inLine(ofAccount, username.toLowerCase(), () => attemptOnce(source, { keys, address }, verify));
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

interface CountedAttempt {
  /** Under which it counts, whatever their case. */
  readonly keys: readonly string[];
  /** The address, or the /64 of it, under whose key it counts: the last; null: under that of no address. */
  readonly address: string | null;
}

async function attemptOnce<User>(
  source: WindowSource,
  { keys, address }: CountedAttempt,
  verify: () => Promise<User | null>,
): Promise<User | null> {
  const window = currentWindow(source.clock);
  const counted = await rateWindows.countNames(source.pool, keys, startOf(window));
  if (counted.some((used) => used > MOST_WRONG_PASSWORDS)) {
    await rateWindows.uncountNames(source.pool, keys, startOf(window));
    if (address !== null && (counted.at(-1) ?? 0) > MOST_WRONG_PASSWORDS) remember(source, address, window.minute);
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
