// Finds what is wrong with the simple fields that many inputs have.
import type { Problem } from "../core/problem.js";

const LONGEST_NAME = 200;
/** Line breaks, and what the database does not hold. */
const CONTROL = /\p{Cc}/u;

/** A display name has 1 to 200 characters, blanks around it not counted, and stands on one line. */
export function nameProblems(name: string): Problem[] {
  const { length } = name.trim();
  if (length === 0 || length > LONGEST_NAME) return [{ field: "name", message: "must have 1 to 200 characters" }];
  return CONTROL.test(name.trim()) ? [{ field: "name", message: "must not contain control characters" }] : [];
}

/** A number that is given must be `minimum` or more. */
export const leastProblems = (field: string, value: number | null | undefined, minimum: number): Problem[] =>
  (value ?? minimum) >= minimum ? [] : [{ field, message: `must be at least ${minimum}` }];
