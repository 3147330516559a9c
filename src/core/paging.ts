// Turns `page` and `perPage` of a list request into an offset and a limit, or says which of them is wrong.
import { positiveInteger } from "./integer.js";
import { accepted, refused, type Checked, type Problem } from "./problem.js";

export const DEFAULT_PER_PAGE = 50;
/** A larger `perPage` is not refused: it counts as this. */
export const MAXIMUM_PER_PAGE = 200;

/** One page of a list: the numbers for `meta`, and the same as rows to skip (`offset`) and to take (`limit`). */
export interface Page {
  readonly page: number;
  readonly perPage: number;
  readonly offset: number;
  readonly limit: number;
}

/** What a caller sends: numbers, decimal text, or nothing for the defaults (page 1, 50 rows). */
interface PageRequest {
  readonly page?: unknown;
  readonly perPage?: unknown;
}

/** @returns the page to read; refused, with `page` and `perPage` named, when they are no positive integers. */
export function readPage(request: PageRequest): Checked<Page> {
  const page = positiveInteger(request.page ?? 1);
  const requested = positiveInteger(request.perPage ?? DEFAULT_PER_PAGE, Number.MAX_SAFE_INTEGER);
  if (page === null || requested === null) {
    return refused(...notPositive("page", page), ...notPositive("perPage", requested));
  }
  const perPage = Math.min(requested, MAXIMUM_PER_PAGE);
  return accepted({ page, perPage, offset: (page - 1) * perPage, limit: perPage });
}

const notPositive = (field: string, read: number | null): Problem[] =>
  read === null ? [{ field, message: "must be a positive integer" }] : [];
