// Divides something scarce among callers: each works within its share and waits in a line of its own, and lines are served in turn.
import { DroverError } from "../errors/errors.js";

const RETRY_SECONDS = 1;

interface LineLimits {
  /** Most requests that work or wait, and most of one caller. */
  readonly most: number;
  readonly mostOfCaller: number;
  /** Most requests that work at once. */
  readonly atOnce: number;
  /** What all callers divide among them, and the share that a caller has however many there are. */
  readonly divided: number;
  readonly leastShare: number;
  /** Longest wait, milliseconds. Default: without end. */
  readonly longestMs?: number;
}

/** The requests of one caller. */
interface Line {
  readonly key: string;
  /** What it has, whatever its share would be. */
  readonly granted: number;
  working: number;
  readonly waiting: (() => void)[];
}

export class FairLine {
  readonly #limits: LineLimits;
  /** Of callers that have requests here, the one that was served longest ago first. */
  readonly #lines = new Map<string, Line>();
  #working = 0;
  #waiting = 0;

  constructor(limits: LineLimits) {
    this.#limits = limits;
  }

  /**
   * Waits for a slot.
   * @param granted what this caller has even where its share is less
   * @returns a function to be called once when the request ends
   * @throws DroverError `unavailable` when too many requests work or wait, of all callers or of this one, or the wait is too long
   */
  async take(key: string, granted = 0): Promise<() => void> {
    const line = this.#lineOf(key, granted);
    if (this.#mayWork(line)) this.#begin(line);
    else await this.#wait(line);
    return () => this.#end(line);
  }

  #lineOf(key: string, granted: number): Line {
    const { most, mostOfCaller } = this.#limits;
    const line = this.#lines.get(key) ?? { key, granted, working: 0, waiting: [] };
    const isFull = this.#working + this.#waiting >= most || line.working + line.waiting.length >= mostOfCaller;
    if (isFull) throw tooManyAtOnce();
    this.#lines.set(key, line);
    return line;
  }

  #mayWork({ working, granted }: Line): boolean {
    const { atOnce, divided, leastShare } = this.#limits;
    const share = Math.max(granted, leastShare, Math.floor(divided / this.#lines.size));
    return this.#working < atOnce && working < share;
  }

  #begin(line: Line): void {
    line.working++;
    this.#working++;
  }

  #wait(line: Line): Promise<void> {
    const { longestMs } = this.#limits;
    this.#waiting++;
    return new Promise((resolve, reject) => {
      const timer =
        longestMs === undefined ? undefined : setTimeout(() => this.#giveUp(line, begin, reject), longestMs);
      const begin = (): void => {
        clearTimeout(timer);
        resolve();
      };
      line.waiting.push(begin);
    });
  }

  #giveUp(line: Line, begin: () => void, reject: (error: DroverError) => void): void {
    line.waiting.splice(line.waiting.indexOf(begin), 1);
    this.#waiting--;
    this.#forgetIfIdle(line);
    reject(tooManyAtOnce());
  }

  #end(line: Line): void {
    line.working--;
    this.#working--;
    this.#forgetIfIdle(line);
    if (this.#waiting > 0) this.#beginWaiting();
  }

  #forgetIfIdle({ key, working, waiting }: Line): void {
    if (working === 0 && waiting.length === 0) this.#lines.delete(key);
  }

  #beginWaiting(): void {
    for (const line of this.#lines.values()) {
      if (line.waiting.length === 0 || !this.#mayWork(line)) continue;
      this.#begin(line);
      this.#waiting--;
      // Behind the others, and so looked at again when they have had their turn.
      this.#lines.delete(line.key);
      this.#lines.set(line.key, line);
      line.waiting.shift()?.();
    }
  }
}

/** The refusal when too many work and wait. */
export const tooManyAtOnce = (): DroverError =>
  new DroverError("unavailable", "The service is busy: too many requests at once", {
    reason: "BUSY",
    retryAfterSeconds: RETRY_SECONDS,
  });
