// The refusals of a process that has too much to do.
import { DroverError } from "../../errors/errors.js";
import { requestsShed } from "../../observability/metrics.js";

const RETRY_SECONDS = 1;

/** Whether the process is overloaded. */
export interface Pressure {
  readonly isTooHigh: boolean;
}

/** For processes whose load is not measured. */
export const NO_PRESSURE: Pressure = { isTooHigh: false };

/** @returns the refusal while the pressure is too high, counted as a shed request; null: the request may be admitted */
export function refusalUnder(pressure: Pressure): DroverError | null {
  if (!pressure.isTooHigh) return null;
  requestsShed.inc();
  return new DroverError("unavailable", "The service is busy: it is late with its work", { reason: "BUSY" });
}

/** The refusal when all slots are taken. */
export const tooManyAtOnce = (): DroverError =>
  new DroverError("unavailable", "The service is busy: too many requests at once", {
    reason: "BUSY",
    retryAfterSeconds: RETRY_SECONDS,
  });
