// Bounds what a door works on at once: whoever comes beyond is told to come again, before anything is done for them.
import { DroverError } from "../errors.js";

const RETRY_SECONDS = 1;

export class Room {
  readonly #most: number;
  #taken = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Takes a place, to be given back once. @returns null when there is none */
  enter(): (() => void) | null {
    if (this.#taken >= this.#most) return null;
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
