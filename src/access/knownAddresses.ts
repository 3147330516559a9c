// Knows who has signed in from an address lately: there the wrong passwords of strangers keep nobody out.
import { LRUCache } from "lru-cache";
import * as signIns from "../store/signIn.js";
import type { WindowSource } from "./rateWindows.js";

/** What another process has seen meanwhile is known at most so much later, milliseconds. */
const MEMORY = { ttl: 5_000, max: 10_000 };

/** Names in lower case, by network; those of each service by its pool. */
type KnownNames = LRUCache<string, Promise<Set<string>>>;
const remembered = new WeakMap<WindowSource["pool"], KnownNames>();

/** A login name, and the network of an address. */
interface NameAtNetwork {
  readonly username: string;
  readonly network: string;
}

/** Whether the account of this name has signed in from this network in the last 30 days. One statement a network, not an attempt. */
export async function isKnownAddress(source: WindowSource, { username, network }: NameAtNetwork): Promise<boolean> {
  return (await namesAt(source, network)).has(username.toLowerCase());
}

/** Notes that the account has just signed in from there. */
export async function noteKnownAddress(source: WindowSource, { username, network }: NameAtNetwork): Promise<void> {
  (await namesAt(source, network)).add(username.toLowerCase());
}

function namesAt({ pool, clock }: WindowSource, network: string): Promise<Set<string>> {
  const perf = { now: () => clock.now().getTime() };
  const ofService: KnownNames = remembered.get(pool) ?? new LRUCache({ ...MEMORY, perf });
  remembered.set(pool, ofService);
  const known = ofService.get(network);
  if (known !== undefined) return known;
  const reading = signIns.namesKnownAt(pool, { network, now: clock.now() }).then((names) => new Set(names));
  ofService.set(network, reading);
  // A reading that failed is tried again; the caller has its error.
  reading.catch(() => ofService.delete(network));
  return reading;
}
