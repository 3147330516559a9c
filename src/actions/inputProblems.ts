// Finds what is wrong with the simple fields that many inputs have.
import type { Problem } from "../core/problem.js";

const LONGEST_NAME = 200;

/** A display name has 1 to 200 characters, blanks around it not counted. */
export function nameProblems(name: string): Problem[] {
  const length = name.trim().length;
  return length >= 1 && length <= LONGEST_NAME ? [] : [{ field: "name", message: "must have 1 to 200 characters" }];
}

/** A number that is given must be `minimum` or more. */
export const leastProblems = (field: string, value: number | null | undefined, minimum: number): Problem[] =>
  (value ?? minimum) >= minimum ? [] : [{ field, message: `must be at least ${minimum}` }];
