// Decides whether a call may be sent again: only where nothing can happen twice.
import { isNotStarted, isPassing } from "./errors.js";
import type { HttpAnswer, HttpRequest } from "./exchange.js";
import { isBeyondBounds, isUnsendable, TransportFailure } from "./exchange.js";
import { PeerRefused } from "./tls.js";

/** What of a call decides whether it may be repeated; see `ApiCall`. */
interface Repeatable {
  readonly method: HttpRequest["method"];
  readonly withinMs?: number;
  readonly reservesFirst?: boolean;
}

/** What became of one attempt. */
export type Attempt = HttpAnswer | TransportFailure;

/**
 * A question may be repeated whenever its answer did not come; a change only when nothing of it left this machine, or when the
 * platform could not even start a task for it.
 * A refused certificate will be refused again, an answer that is beyond its bound is so again, and what cannot be sent stays so. A caller that waits gets what the platform answers, fault or not.
 */
export function mayRepeat({ method, withinMs, reservesFirst = false }: Repeatable, attempt: Attempt): boolean {
  if (!(attempt instanceof TransportFailure)) {
    if (method !== "GET") return !reservesFirst && isNotStarted(attempt);
    return withinMs === undefined && isPassing(attempt);
  }
  if (attempt.cause instanceof PeerRefused || isBeyondBounds(attempt) || isUnsendable(attempt)) return false;
  return method === "GET" || !attempt.mayHaveArrived;
}
