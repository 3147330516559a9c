// Has large bodies worked on one in each turn of the event loop, callers in turn: what else has come is answered in between.
import { FairLine } from "../../concurrency/fairLine.js";
import type { Caller } from "./caller.js";

/** To read and check one that is smaller takes about a millisecond. */
export const LARGE_BYTES = 16 * 1024;
/** How many there are is bounded by the bytes that may be held. */
const UNBOUNDED = Number.POSITIVE_INFINITY;

export class LargeBodies {
  readonly #line = new FairLine({
    most: UNBOUNDED,
    mostOfCaller: UNBOUNDED,
    atOnce: 1,
    divided: 1,
    leastShare: 1,
  });

  /** Resolves when a body of so many bytes may be worked on: a small one at once. */
  async turn({ key }: Caller, bytes: number): Promise<void> {
    if (bytes <= LARGE_BYTES) return;
    setImmediate(await this.#line.take(key));
  }
}
