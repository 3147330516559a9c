// Decides whether a password that a person chooses is good enough: long, not their own name, and not among the most used.
import type { Problem } from "../problem.js";

/** Characters, as a person counts them. */
export const SHORTEST_PASSWORD = 10;
/** More cannot be meant to be typed. */
const LONGEST_PASSWORD = 200;

/** Whose password it is to be. */
interface PasswordOwner {
  readonly username: string;
  readonly email: string;
}

/**
 * @param isCommon whether a password, in lower case, is one of the most used
 * @returns the problems of a new password, as problems of `field`; empty when there is none
 */
export function passwordProblems(
  password: string,
  { username, email }: PasswordOwner,
  { field, isCommon }: { readonly field: string; readonly isCommon: (lowerCase: string) => boolean },
): Problem[] {
  const characters = countOf(password);
  const lowerCase = password.toLowerCase();
  const rules: readonly (readonly [isBroken: boolean, message: string])[] = [
    [characters < SHORTEST_PASSWORD, `must have at least ${SHORTEST_PASSWORD} characters`],
    [characters > LONGEST_PASSWORD, `must have at most ${LONGEST_PASSWORD} characters`],
    [
      [username, email].some((name) => name.toLowerCase() === lowerCase),
      "must not be the user name or the e-mail address",
    ],
    [isCommon(lowerCase), "is one of the most used passwords, which are tried first"],
  ];
  return rules.flatMap(([isBroken, message]) => (isBroken ? [{ field, message }] : []));
}

/** A character, as a person counts them, may consist of many; a text that is far too long is not counted. */
const MOST_UNITS = 50 * LONGEST_PASSWORD;
const countOf = (text: string): number =>
  text.length > MOST_UNITS ? text.length : [...new Intl.Segmenter().segment(text)].length;
