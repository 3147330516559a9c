// Cancels the reads of callers who disconnect before they are answered.
import type { ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import type { Pool } from "pg";
import type { ReadsFor } from "../context.js";
import { Departure, readUnlessLeft } from "../db/departure.js";
import { DroverError } from "../errors.js";

/** @returns what reads for this answer as long as somebody waits for it; its callers must change nothing */
export function readsFor(response: ServerResponse, pool: Pool): ReadsFor {
  let departure: Departure | null = null;
  return readsUntil(() => (departure ??= departureFrom(response, () => response.writableFinished)), pool);
}

/**
 * @param departureOf whose departure ends the reads; called when something is read
 * @returns what reads until then; its callers must change nothing
 */
export const readsUntil = (departureOf: () => Departure, pool: Pool): ReadsFor => ({
  get departure() {
    return departureOf();
  },
  query: (statement) => readUnlessLeft(pool, statement, departureOf()),
  refuseWhoLeft() {
    const { reason } = departureOf();
    if (reason !== null) throw reason;
  },
});

/** @param isServed asked at the end of the stream: who has got all that he waited for has not left */
export function departureFrom(stream: Writable, isServed: () => boolean): Departure {
  const departure = new Departure();
  const leave = (): void => {
    if (!isServed()) departure.leave(new DroverError("unavailable", "The caller has left"));
  };
  if (stream.closed) leave();
  else stream.once("close", leave);
  return departure;
}
