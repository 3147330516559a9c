// Bounds what a door works on at once: whoever comes beyond is told to come again, before anything is done for them.
import { DroverError } from "../errors.js";
import { requestsShed } from "../metrics.js";

const RETRY_SECONDS = 1;

/** Whether the process has more to do than it gets done. */
export interface Pressure {
  readonly isTooHigh: boolean;
}

const NONE: Pressure = { isTooHigh: false };

export class Room {
  readonly #most: number;
  readonly #pressure: Pressure;
  #taken = 0;

  constructor(most: number, pressure: Pressure = NONE) {
    this.#most = most;
    this.#pressure = pressure;
  }

  /** Takes a place, to be given back once. @returns what is said to those for whom there is none */
  enter(): (() => void) | DroverError {
    if (this.#pressure.isTooHigh) {
      requestsShed.inc();
      return new DroverError("unavailable", "The service is busy: it is late with its work", { reason: "BUSY" });
    }
    if (this.#taken >= this.#most) return noRoom();
    this.#taken++;
    return () => void this.#taken--;
  }
}

/** What is said to those for whom there is no room. */
export const noRoom = (): DroverError =>
  new DroverError("unavailable", "The service is busy: too many requests at once", {
    reason: "BUSY",
    retryAfterSeconds: RETRY_SECONDS,
  });
