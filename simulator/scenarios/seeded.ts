// Draws numbers that look random but follow from a text, so that a demo host is the same at every start.
import { createHash } from "node:crypto";

/** A stream of numbers that depends only on its seed. */
export class Seeded {
  #state: number;

  constructor(seed: string) {
    this.#state = createHash("sha256").update(seed).digest().readUInt32LE(0);
  }

  /** At least 0, less than 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Between the two, `to` left out. */
  between(from: number, to: number): number {
    return from + this.next() * (to - from);
  }

  /** @throws Error for an empty list */
  pick<T>(choices: readonly T[]): T {
    const choice = choices[Math.floor(this.next() * choices.length)];
    if (choice === undefined) throw new Error("there is nothing to pick from");
    return choice;
  }
}
