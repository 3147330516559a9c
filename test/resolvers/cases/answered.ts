// The form of cases of queries that are answered and that are refused.
import type { ErrorKind } from "../../../src/errors/errors.js";
import type { Caller } from "../execute.js";

/** `must` reads as a sentence that begins with MUST. */
export interface Answered {
  readonly must: string;
  readonly as: Caller;
  readonly query: string;
  readonly data: unknown;
}

/** `what` is refused. */
export interface Refused {
  readonly what: string;
  readonly as: Caller;
  readonly query: string;
  readonly kind: ErrorKind;
}

/** A page of which only the records were asked for. */
export const items = (records: readonly unknown[]): unknown => ({ items: records });
