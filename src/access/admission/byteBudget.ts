// Bounds the bytes of bodies that the process holds at once: in all, of one caller, and of callers that are not known.
import { tooManyAtOnce } from "../../concurrency/fairLine.js";
import type { Caller } from "./caller.js";

const MIB = 1024 * 1024;
const KNOWN = { inAll: 256 * MIB, ofCaller: 32 * MIB };
const UNKNOWN = { inAll: 32 * MIB, ofCaller: 4 * MIB };

/** What is held in one of the two budgets. */
class BudgetUse {
  inAll = 0;
  readonly ofCaller = new Map<string, number>();
}

export class ByteBudget {
  readonly #known = new BudgetUse();
  readonly #unknown = new BudgetUse();

  /** @throws DroverError `unavailable` when the caller or all callers hold too much; nothing more is held then */
  hold({ key, isKnown }: Caller, bytes: number): void {
    const [held, limits] = isKnown ? [this.#known, KNOWN] : [this.#unknown, UNKNOWN];
    const own = (held.ofCaller.get(key) ?? 0) + bytes;
    if (own > limits.ofCaller || held.inAll + bytes > limits.inAll) throw tooManyAtOnce();
    held.ofCaller.set(key, own);
    held.inAll += bytes;
  }

  release({ key, isKnown }: Caller, bytes: number): void {
    const held = isKnown ? this.#known : this.#unknown;
    held.inAll -= bytes;
    const left = (held.ofCaller.get(key) ?? 0) - bytes;
    if (left > 0) held.ofCaller.set(key, left);
    else held.ofCaller.delete(key);
  }
}
