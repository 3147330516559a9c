// The load of the process, and the refusal while it is too high.
import { DroverError, httpStatusOf } from "../../errors/errors.js";
import { requestsShed } from "../../observability/metrics.js";

/** Whether the process is overloaded. */
export interface Pressure {
  readonly isTooHigh: boolean;
}

/** For processes whose load is not measured. */
export const NO_PRESSURE: Pressure = { isTooHigh: false };

const FOR_LOAD: ReadonlySet<number> = new Set([httpStatusOf.rateLimited, httpStatusOf.unavailable]);

/** Whether this HTTP status refuses a request for load: who is known can get such refusals as fast as the network carries requests. */
export const isForLoad = (status: number): boolean => FOR_LOAD.has(status);

/** @returns the refusal while the pressure is too high, counted as a shed request; null: the request may be admitted */
export function refusalUnder(pressure: Pressure): DroverError | null {
  if (!pressure.isTooHigh) return null;
  requestsShed.inc();
  return new DroverError("unavailable", "The service is busy: it is late with its work", { reason: "BUSY" });
}
