// Bounds what a door works on at once: whoever comes beyond is told to come again, before anything is done for them.
import { DroverError } from "../errors.js";
import { requestsShed } from "../metrics.js";

const RETRY_SECONDS = 1;

/** Whether the process has more to do than it gets done. */
export interface Pressure {
  readonly isTooHigh: boolean;
}

/** For doors whose process nobody watches. */
export const NO_PRESSURE: Pressure = { isTooHigh: false };

export class Room {
  readonly #most: number;
  readonly #pressure: Pressure;
  #taken = 0;

  constructor(most: number, pressure: Pressure = NO_PRESSURE) {
    this.#most = most;
    this.#pressure = pressure;
  }

  /** Takes a place, to be given back once. @returns what is said to those for whom there is none */
  enter(): (() => void) | DroverError {
    const late = refusalUnder(this.#pressure);
    if (late !== null) return late;
    if (this.#taken >= this.#most) return noRoom();
    this.#taken++;
    return () => void this.#taken--;
  }
}

/** @returns what is said to whoever comes under too high a pressure, each of whom is counted; null: they may come in */
export function refusalUnder(pressure: Pressure): DroverError | null {
  if (!pressure.isTooHigh) return null;
  requestsShed.inc();
  return new DroverError("unavailable", "The service is busy: it is late with its work", { reason: "BUSY" });
}

/** What is said to those for whom there is no room. */
export const noRoom = (): DroverError =>
  new DroverError("unavailable", "The service is busy: too many requests at once", {
    reason: "BUSY",
    retryAfterSeconds: RETRY_SECONDS,
  });
