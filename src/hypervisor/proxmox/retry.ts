// Decides whether a call may be sent again: only where nothing can happen twice.
import type { ApiCall } from "./client.js";
import { isPassing } from "./errors.js";
import type { HttpAnswer } from "./exchange.js";
import { isTooLarge, isUnsendable, TransportFailure } from "./exchange.js";
import { CertificateRefused } from "./tls.js";

/** What became of one attempt. */
export type Attempt = HttpAnswer | TransportFailure;

/**
 * A question may be repeated whenever its answer did not come; a change only when nothing of it left this machine.
 * A refused certificate will be refused again, an answer that is too large is so again, and so is what cannot be sent. Whoever waits for a call hears what the platform answers, fault or not.
 */
export function mayRepeat({ method, withinMs }: Pick<ApiCall, "method" | "withinMs">, attempt: Attempt): boolean {
  if (!(attempt instanceof TransportFailure)) {
    return method === "GET" && withinMs === undefined && isPassing(attempt);
  }
  if (attempt.cause instanceof CertificateRefused || isTooLarge(attempt) || isUnsendable(attempt)) return false;
  return method === "GET" || !attempt.mayHaveArrived;
}
