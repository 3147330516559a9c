// Repeats reads that failed only for the moment, so that a busy service does not cost the user the page.
import { retryExchange } from "@urql/exchange-retry";
import type { CombinedError } from "urql";
import { currentConnection } from "./connection.js";

/**
 * With the random factor of the package, the first repetition follows after 1.5 to 2.5 seconds: what the service asks for in
 * `retryAfterSeconds` is 1 or 2, and the package takes no delay from an error. Each further delay is 1.5 to 2.5 times as long.
 */
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 8_000;
/** In all; the error of the last one is shown. */
const ATTEMPTS = 5;

/** Queries alone: a change may have been made although its answer says otherwise. */
export const repeatReads = retryExchange({
  initialDelayMs: FIRST_DELAY_MS,
  maxDelayMs: LONGEST_DELAY_MS,
  maxNumberAttempts: ATTEMPTS,
  retryIf: (error, { kind }) => kind === "query" && passes(error),
});

/** While the connection is lost its notice says so, and every view is read again as soon as it is back. */
const passes = ({ networkError, graphQLErrors }: CombinedError): boolean =>
  networkError === undefined
    ? graphQLErrors.some(({ extensions }) => extensions["code"] === "UNAVAILABLE")
    : currentConnection().state !== "lost";
