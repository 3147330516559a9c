// Reads whole numbers that may come as numbers or as decimal text, as forms, query strings and files hand them over.

/** The largest integer that GraphQL's `Int` and PostgreSQL's `integer` hold. */
export const LARGEST_INT = 2_147_483_647;

/** @returns the whole number ≥ 0 that `value` is or spells in decimal digits, else null. Never rounds. */
export function naturalNumber(value: unknown): number | null {
  const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

/** @returns the whole number from 1 to `largest` that `value` is or spells (an id, a count, a size), else null. */
export function positiveInteger(value: unknown, largest = LARGEST_INT): number | null {
  const number = naturalNumber(value);
  return number !== null && number >= 1 && number <= largest ? number : null;
}

/** @returns the positive integer, however large, that `value` is or spells; more than `most` counts as `most`. Else null. */
export function cappedInteger(value: unknown, most: number): number | null {
  const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof number !== "number" || !(number >= 1)) return null;
  const capped = Math.min(number, most);
  return Number.isInteger(capped) ? capped : null;
}
