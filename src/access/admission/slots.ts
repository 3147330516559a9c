// Bounds how many requests are worked on at once, with a fair share for each caller and a small pool for callers that are not known.
import type { Caller } from "./caller.js";
import { FairLine } from "../../concurrency/fairLine.js";

/** What known callers divide among them: a caller alone may have so many requests worked on. */
const DIVIDED = 128;
/** A caller may have so many worked on, however many callers there are. */
const LEAST_SHARE = 8;
/** Requests of unknown callers that are worked on at once; one source never takes all of them. */
const UNKNOWN_AT_ONCE = 16;
const UNKNOWN_DIVIDED = 8;
const UNKNOWN_LEAST_SHARE = 2;
/** Part of all requests that may be of one known caller, of unknown callers, and of one source among those. */
const PART_OF_CALLER = 1 / 2;
const PART_OF_UNKNOWN = 1 / 10;
const PART_OF_SOURCE = 1 / 40;

export class Slots {
  readonly #known: FairLine;
  readonly #unknown: FairLine;

  /** @param most requests of known callers that are worked on or wait for a slot */
  constructor(most: number) {
    const part = (share: number): number => Math.max(1, Math.floor(most * share));
    this.#known = new FairLine({
      most,
      mostOfCaller: part(PART_OF_CALLER),
      atOnce: most,
      divided: DIVIDED,
      leastShare: LEAST_SHARE,
    });
    this.#unknown = new FairLine({
      most: part(PART_OF_UNKNOWN),
      mostOfCaller: part(PART_OF_SOURCE),
      atOnce: UNKNOWN_AT_ONCE,
      divided: UNKNOWN_DIVIDED,
      leastShare: UNKNOWN_LEAST_SHARE,
    });
  }

  /** Waits for a slot. @returns a function to be called once when the request ends. @throws DroverError when too many wait */
  take({ key, isKnown }: Caller): Promise<() => void> {
    return (isKnown ? this.#known : this.#unknown).take(key);
  }
}
