// Gives up the reads of callers who leave before they are answered.
import type { ServerResponse } from "node:http";
import type { Pool } from "pg";
import type { ReadsFor } from "../context.js";
import { Departure, readUnlessLeft } from "../db/departure.js";
import { DroverError } from "../errors.js";

/** @returns what reads for this answer as long as somebody waits for it; its callers must change nothing */
export function readsFor(response: ServerResponse, pool: Pool): ReadsFor {
  let departure: Departure | null = null;
  return {
    query(statement) {
      departure ??= departureOf(response);
      return readUnlessLeft(pool, statement, departure);
    },
  };
}

function departureOf(response: ServerResponse): Departure {
  const departure = new Departure();
  const leave = (): void => {
    if (!response.writableFinished) departure.leave(new DroverError("unavailable", "The caller has left"));
  };
  if (response.closed) leave();
  else response.once("close", leave);
  return departure;
}
