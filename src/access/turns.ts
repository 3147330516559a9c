// Does dear work a little at a time: the rest waits its turn, up to a bound.
import { noRoom } from "./room.js";

export interface TurnLimits {
  /** Works under way at the same time. */
  readonly atOnce: number;
  /** Works that wait; whoever comes beyond is refused. */
  readonly mostWaiting: number;
}

export class Turns {
  readonly #limits: TurnLimits;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /** Begins at once if there is room. @returns what the work gives, once it had its turn @throws what it throws; DroverError `unavailable` when too many wait */
  async take<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.#limits.atOnce) this.#running++;
    else await this.#turn();
    try {
      return await work();
    } finally {
      this.#end();
    }
  }

  async #turn(): Promise<void> {
    if (this.#waiting.length >= this.#limits.mostWaiting) throw noRoom();
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** The place goes to whoever waited longest. */
  #end(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running--;
    else next();
  }
}
