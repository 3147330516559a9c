// Turns the criteria that a filter gives, and only those, into conditions.
import type { Clause } from "./read.js";

/** A criterion of a filter; null and left out are the same. */
export type Optional<Value> = Value | null | undefined;

/** @returns the criterion as a condition on `row` with the value's placeholder, or nothing when it is not given */
export const given = (criterion: unknown, condition: (row: string, placeholder: string) => string): Clause[] =>
  criterion === null || criterion === undefined ? [] : [(row, value) => condition(row, value(criterion))];

/**
 * @returns a condition that the column has one of the values, or nothing when none are given. A single value is compared by `=`: of
 *   `any` PostgreSQL expects ten values, and would plan the statement again for each that finds fewer
 */
export function givenAny(
  criterion: Optional<readonly unknown[]>,
  condition: (row: string, isAny: (column: string) => string) => string,
): Clause[] {
  if (criterion === null || criterion === undefined) return [];
  const [single] = criterion;
  return [
    (row, value) => {
      const test = criterion.length === 1 ? `= ${value(single)}` : `= any(${value(criterion)})`;
      return condition(row, (column) => `${column} ${test}`);
    },
  ];
}

/** @returns the LIKE pattern of texts that contain `part` as it is written */
export const contains = (part: string): string => `%${part.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
