// Divides slots among callers: each works within its share and waits in a line of its own, and lines are served in turn.
import { tooManyAtOnce } from "./load.js";

interface LineLimits {
  /** Most requests that work or wait, and most of one caller. */
  readonly most: number;
  readonly mostOfCaller: number;
  /** Most requests that work at once. */
  readonly atOnce: number;
  /** What all callers divide among them, and the share that a caller has however many there are. */
  readonly divided: number;
  readonly leastShare: number;
}

/** The requests of one caller. */
interface Line {
  readonly key: string;
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
   * @returns a function to be called once when the request ends
   * @throws DroverError `unavailable` when too many requests work or wait, of all callers or of this one
   */
  async take(key: string): Promise<() => void> {
    const line = this.#lineOf(key);
    if (this.#mayWork(line)) this.#begin(line);
    else await this.#wait(line);
    return () => this.#end(line);
  }

  #lineOf(key: string): Line {
    const { most, mostOfCaller } = this.#limits;
    const line = this.#lines.get(key) ?? { key, working: 0, waiting: [] };
    const isFull = this.#working + this.#waiting >= most || line.working + line.waiting.length >= mostOfCaller;
    if (isFull) throw tooManyAtOnce();
    this.#lines.set(key, line);
    return line;
  }

  #mayWork({ working }: Line): boolean {
    const { atOnce, divided, leastShare } = this.#limits;
    return this.#working < atOnce && working < Math.max(leastShare, Math.floor(divided / this.#lines.size));
  }

  #begin(line: Line): void {
    line.working++;
    this.#working++;
  }

  async #wait(line: Line): Promise<void> {
    this.#waiting++;
    await new Promise<void>((resolve) => line.waiting.push(resolve));
  }

  #end(line: Line): void {
    line.working--;
    this.#working--;
    if (line.working === 0 && line.waiting.length === 0) this.#lines.delete(line.key);
    if (this.#waiting > 0) this.#beginWaiting();
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
